import * as z from 'zod/mini';
import { t } from '@/lib/i18n';

export const codeLength = 6;

export const emailSchema = z.object({
  email: z
    .string()
    .check(
      z.trim(),
      z.minLength(1, { error: () => t('auth.emailRequired'), abort: true }),
      z.regex(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, { error: () => t('auth.emailInvalid') }),
    ),
});

export const codeSchema = z.object({
  code: z.string().check(z.regex(/^\d{6}$/, { error: () => t('auth.codeInvalid') })),
});

/** Returns the digits of typed or pasted text, at most six of them. */
export function digitsOfCode(text: string): string {
  return text.replace(/\D/g, '').slice(0, codeLength);
}
