import type { AuthError } from '@supabase/supabase-js';
import { isUnanswered, sentenceOf, type Sentences } from '@/lib/auth-refusal';
import { t } from '@/lib/i18n';

const sentences: Sentences = new Map([
  ['otp_expired', 'profilePage.codeWrong'],
  ['email_exists', 'profilePage.addressTaken'],
  ['email_address_invalid', 'profilePage.addressRefused'],
  ['over_email_send_rate_limit', 'profilePage.tooManyMails'],
  ['over_request_rate_limit', 'profilePage.tooManyTries'],
]);

/** What a teacher reads of why an address was not changed, or a code not taken. */
export function refusalOf(error: AuthError): string {
  return isUnanswered(error) ? t('profilePage.noAnswer') : sentenceOf(sentences, error);
}
