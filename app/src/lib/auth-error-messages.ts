import { isAuthRetryableFetchError, type AuthError } from '@supabase/supabase-js';
import { t, type MessageKey } from './i18n';

/** What a screen says of refusals, by their codes. */
export type ErrorMessages = ReadonlyMap<string | undefined, MessageKey>;

interface AuthFailure {
  code?: string | undefined;
  message: string;
}

/** What a refusal says to a teacher, and what to do now; the server's message for codes that the screen does not foresee. */
export function errorMessageOf(messages: ErrorMessages, { code, message }: AuthFailure): string {
  const sentence = messages.get(code);
  return sentence ? quote(sentence, message) : message;
}

/** A sentence that may have the server's message in front, as a sentence of its own. */
export function quote(sentence: MessageKey, message: string): string {
  return t(sentence, { message: message.replace(/\.$/, '') });
}

/** Whether a call ended without an answer to quote; the client then has no message, or one for programmers. */
export function hasNoAnswer(error: AuthError): boolean {
  return isAuthRetryableFetchError(error) || !error.message;
}
