import type { AuthError } from '@supabase/supabase-js';
import { hasNoAnswer, errorMessageOf, type ErrorMessages } from '@/lib/auth-errors';
import { t } from '@/lib/i18n';

const errorMessages: ErrorMessages = new Map([
  ['otp_expired', 'profilePage.codeWrong'],
  ['email_exists', 'profilePage.addressTaken'],
  ['email_address_invalid', 'profilePage.addressRefused'],
  ['over_email_send_rate_limit', 'profilePage.tooManyMails'],
  ['over_request_rate_limit', 'profilePage.tooManyTries'],
]);

/** Returns why an address was not changed or a code was not accepted. */
export function emailErrorMessage(error: AuthError): string {
  return hasNoAnswer(error) ? t('profilePage.noAnswer') : errorMessageOf(errorMessages, error);
}
