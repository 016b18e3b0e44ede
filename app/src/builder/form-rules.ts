import * as z from 'zod/mini';
import { t } from '@/lib/i18n';

const shortTextLimit = 200;

/** A required text. It has one line unless `limit` allows more. */
export function requiredText(limit = shortTextLimit) {
  return z
    .string()
    .check(
      z.trim(),
      z.minLength(1, { error: () => t('form.required') }),
      z.maxLength(limit, { error: () => t('form.tooLong', { limit }) }),
    );
}

/** A text that may be empty. */
export function optionalText(limit = shortTextLimit) {
  return z.string().check(z.trim(), z.maxLength(limit, { error: () => t('form.tooLong', { limit }) }));
}

/** One of the values of a select. */
export function oneOf(values: readonly string[]) {
  return z.string().check(z.refine((value) => values.includes(value), { error: () => t('form.required') }));
}

/** At least one of the values, each once, in the order of the list. */
export function someOf(values: readonly string[]) {
  return z.pipe(
    z.array(z.string()).check(
      z.refine((chosen) => chosen.some((value) => values.includes(value)), {
        error: () => t('form.chooseOne'),
      }),
    ),
    z.transform((chosen) => values.filter((value) => chosen.includes(value))),
  );
}
