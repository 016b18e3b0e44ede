import { t, type MessageKey } from '@/lib/i18n';

const sentences = new Map<string | undefined, MessageKey>([
  ['otp_expired', 'auth.codeRefused'],
  ['over_email_send_rate_limit', 'auth.tooManyMails'],
  ['over_request_rate_limit', 'auth.tooManyTries'],
]);

/** What a refusal with that code says to a teacher, and what to do now; the provider's message for other codes. */
export function sentenceOf(code: string | undefined, message: string): string {
  const sentence = sentences.get(code);
  return sentence ? quote(sentence, message) : message;
}

/** The same on the way to Google, where a request that is not valid means that there is no such provider (S-145). */
export function googleSentence(refused: { error_code?: string | undefined; msg: string }): string {
  if (refused.error_code === 'validation_failed') return quote('auth.googleOff', refused.msg);
  return sentenceOf(refused.error_code, refused.msg);
}

/** English keeps the provider's message in front (S-140, S-143, S-145); the other languages say it in their words. */
function quote(sentence: MessageKey, message: string): string {
  return t(sentence, { message: message.replace(/\.$/, '') });
}
