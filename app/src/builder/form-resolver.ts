import type { FieldErrors, FieldValues, Resolver } from 'react-hook-form';
import type * as z from 'zod/mini';

/** Checks a form with its schema; the first complaint of each field is the one that is shown. */
export function formResolver<Form extends FieldValues>(schema: z.ZodMiniType<Form>): Resolver<Form> {
  return (values) => {
    const checked = schema.safeParse(values);
    if (checked.success) return { values: checked.data, errors: {} };
    const complaints: Record<string, { type: string; message: string }> = {};
    for (const { path, code, message } of checked.error.issues) {
      const name = String(path[0]);
      complaints[name] ??= { type: code, message };
    }
    return { values: {}, errors: errorsOf<Form>(complaints) };
  };
}

/** The form's fields are flat, so that names of fields and names of complaints are the same. */
function errorsOf<Form extends FieldValues>(
  complaints: Record<string, { type: string; message: string }>,
): FieldErrors<Form>;
function errorsOf(complaints: Record<string, { type: string; message: string }>): FieldErrors {
  return complaints;
}
