import type { AuthError } from '@supabase/supabase-js';
import { t, type MessageKey } from '@/lib/i18n';

const sentences = new Map<string | undefined, MessageKey>([
  ['otp_expired', 'profilePage.codeWrong'],
  ['email_exists', 'profilePage.addressTaken'],
  ['email_address_invalid', 'profilePage.emailInvalid'],
  ['over_email_send_rate_limit', 'profilePage.tooManyMails'],
  ['over_request_rate_limit', 'profilePage.tooManyTries'],
]);

/** What a refusal says to a teacher, and what to do now; the server's message for those that nobody here foresees. */
export function sentenceOf(error: AuthError): string {
  const sentence = sentences.get(error.code);
  return sentence ? t(sentence) : error.message;
}
