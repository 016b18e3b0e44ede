import { quote, errorMessageOf, type ErrorMessages } from '@/lib/auth-errors';

/**
 * English puts the provider's message in front (S-140,
 * S-143, S-145). The other languages have their own words.
 */
export const errorMessages: ErrorMessages = new Map([
  ['otp_expired', 'auth.codeRefused'],
  ['over_email_send_rate_limit', 'auth.tooManyMails'],
  ['over_request_rate_limit', 'auth.tooManyTries'],
]);

/**
 * Returns the message for a refusal on the way to Google. A request that is not valid means that
 * there is no such provider (S-145).
 */
export function googleErrorMessage(refused: { error_code?: string | undefined; msg: string }): string {
  const { error_code: code, msg: message } = refused;
  return code === 'validation_failed'
    ? quote('auth.googleOff', message)
    : errorMessageOf(errorMessages, { code, message });
}
