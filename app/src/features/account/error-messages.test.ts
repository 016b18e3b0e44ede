import { AuthApiError, AuthRetryableFetchError } from '@supabase/supabase-js';
import { afterEach, expect, test } from 'vitest';
import { languages, setLanguage } from '@/lib/i18n';
import { emailErrorMessage } from './error-messages';

const message = 'A message of the server';
const codes = [
  'otp_expired',
  'email_exists',
  'email_address_invalid',
  'over_email_send_rate_limit',
  'over_request_rate_limit',
];

afterEach(() => setLanguage('en'));

// rows: S-306 S-307
test.each(languages)('a refusal has words of its own: $name', async ({ id }) => {
  await setLanguage(id);
  const told = codes.map((code) => emailErrorMessage(new AuthApiError(message, 422, code)));
  // Without an answer there is no server message. The client
  // has an empty object or the browser's English text.
  told.push(emailErrorMessage(new AuthRetryableFetchError('{}', 503)));
  expect(emailErrorMessage(new AuthRetryableFetchError('Failed to fetch', 0))).toBe(told.at(-1));
  expect(new Set(told).size).toBe(codes.length + 1);
  for (const sentence of told) expect(sentence).toMatch(id === 'en' ? /^[A-Z][a-z' ]+\S/ : /^[^a-zA-Z{]+$/);
  expect(told.join()).not.toContain(message);
});

// rows: S-306
test('an unknown refusal has the words of the server', () => {
  expect(emailErrorMessage(new AuthApiError(message, 422, 'unheard_of'))).toBe(message);
});

// rows: S-306
test('the limit of mails does not claim that one was sent just now', async () => {
  const told = async (id: 'en' | 'hi') => {
    await setLanguage(id);
    return emailErrorMessage(new AuthApiError(message, 429, 'over_email_send_rate_limit'));
  };
  expect(await told('en')).not.toMatch(/just now|a minute/);
  expect(await told('hi')).not.toMatch(/अभी/);
});
