import { isAuthRetryableFetchError, type AuthError } from '@supabase/supabase-js';
import { t, type MessageKey } from './i18n';

/** The messages of a screen for refusals, by their codes. */
export type ErrorMessages = ReadonlyMap<string | undefined, MessageKey>;

interface AuthFailure {
  code?: string | undefined;
  message: string;
}

/**
 * Returns the message for a refusal, and what to do
 * now. An unknown code has the message of the server.
 */
export function errorMessageOf(messages: ErrorMessages, { code, message }: AuthFailure): string {
  const sentence = messages.get(code);
  return sentence ? quote(sentence, message) : message;
}

/** Returns a sentence that may begin with the server's message. */
export function quote(sentence: MessageKey, message: string): string {
  return t(sentence, { message: message.replace(/\.$/, '') });
}

/**
 * Whether a call ended without an answer to quote. Then
 * the client has no message, or one for programmers.
 */
export function hasNoAnswer(error: AuthError): boolean {
  return isAuthRetryableFetchError(error) || !error.message;
}
