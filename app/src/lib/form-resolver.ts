import type { DefaultValues, FieldErrors, FieldValues, Resolver } from 'react-hook-form';
import type * as z from 'zod/mini';

type Schema<Form> = z.ZodMiniType<Form>;

/** Checks a form with its schema; the first complaint of each field is the one that is shown. */
export function formResolver<Form extends FieldValues>(schema: Schema<Form>): Resolver<Form> {
  return (values) => {
    const checked = schema.safeParse(values);
    if (checked.success) return { values: checked.data, errors: {} };
    const complaints: Complaints = {};
    for (const { path, code, message } of checked.error.issues) {
      const name = String(path[0]);
      complaints[name] ??= { type: code, message };
    }
    return { values: {}, errors: errorsOf<Form>(complaints) };
  };
}

/** Checks a form with a schema that is fetched meanwhile; where it cannot be had, the form as a whole is refused. */
export function lazyResolver<Form extends FieldValues>(fetch: () => Promise<Schema<Form>>): Resolver<Form> {
  return async (values, context, options) => {
    const schema = await fetch().catch(() => null);
    if (!schema)
      return { values: {}, errors: errorsOf<Form>({ root: { type: 'unavailable', message: '' } }) };
    return formResolver(schema)(values, context, options);
  };
}

type Complaints = Record<string, { type: string; message: string }>;

/** The forms' fields are flat, so that names of fields and names of complaints are the same. */
function errorsOf<Form extends FieldValues>(complaints: Complaints): FieldErrors<Form>;
function errorsOf(complaints: Complaints): FieldErrors {
  return complaints;
}

/** A whole form as what another one begins with. */
export function defaultsOf<Form extends FieldValues>(form: Form): DefaultValues<Form>;
export function defaultsOf(form: FieldValues): FieldValues {
  return form;
}
