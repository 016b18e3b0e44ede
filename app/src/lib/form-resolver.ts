import type { DefaultValues, FieldErrors, FieldValues, Resolver } from 'react-hook-form';
import type * as z from 'zod/mini';

type Schema<Form> = z.ZodMiniType<Form>;

/** Validates a form with its schema. The first error of each field is shown. */
export function formResolver<Form extends FieldValues>(schema: Schema<Form>): Resolver<Form> {
  return (values) => {
    const checked = schema.safeParse(values);
    if (checked.success) return { values: checked.data, errors: {} };
    const flatErrors: FlatErrors = {};
    for (const { path, code, message } of checked.error.issues) {
      const name = String(path[0]);
      flatErrors[name] ??= { type: code, message };
    }
    return { values: {}, errors: errorsOf<Form>(flatErrors) };
  };
}

/**
 * Validates a form with a schema that loads meanwhile.
 * If it cannot be loaded, the whole form is refused.
 */
export function lazyResolver<Form extends FieldValues>(fetch: () => Promise<Schema<Form>>): Resolver<Form> {
  return async (values, context, options) => {
    const schema = await fetch().catch(() => null);
    if (!schema)
      return { values: {}, errors: errorsOf<Form>({ root: { type: 'unavailable', message: '' } }) };
    return formResolver(schema)(values, context, options);
  };
}

type FlatErrors = Record<string, { type: string; message: string }>;

/** The forms are flat, so that the names of fields and of errors are the same. */
function errorsOf<Form extends FieldValues>(flatErrors: FlatErrors): FieldErrors<Form>;
function errorsOf(flatErrors: FlatErrors): FieldErrors {
  return flatErrors;
}

/** Returns a whole form as the default values of another. */
export function defaultsOf<Form extends FieldValues>(form: Form): DefaultValues<Form>;
export function defaultsOf(form: FieldValues): FieldValues {
  return form;
}
