import type { AuthError } from '@supabase/supabase-js';
import * as z from 'zod/mini';
import { hasNoAnswer, errorMessageOf } from '@/lib/auth-errors';
import { fetchWithTimeout } from '@/lib/fetch-with-timeout';
import { returnPath } from '@/lib/stored-session';
import { supabase } from '@/lib/supabase';
import { googleErrorMessage, errorMessages } from '../error-messages';

/**
 * `ok`, or why not. `message` is for the teacher, and is absent if there was no answer.
 * `isTooEarly` means that a mail was requested again too early.
 */
export type SignInOutcome = { ok: true } | { ok: false; message: string | undefined; isTooEarly?: boolean };

/** Mails a six-digit code, and creates the account if the address is new. */
export async function sendCode(email: string): Promise<SignInOutcome> {
  const { error } = await supabase.auth.signInWithOtp({ email, options: { shouldCreateUser: true } });
  return outcome(error);
}

/** Exchanges the code for a session, which the session provider then announces. */
export async function verifyCode(email: string, token: string): Promise<SignInOutcome> {
  const { error } = await supabase.auth.verifyOtp({ email, token, type: 'email' });
  return outcome(error);
}

/**
 * Goes to Google and comes back to /home. Stays if the
 * server says that it has no such provider (S-145).
 */
export async function continueWithGoogle(): Promise<SignInOutcome> {
  const { data, error } = await supabase.auth.signInWithOAuth({
    provider: 'google',
    options: { redirectTo: `${window.location.origin}${returnPath}`, skipBrowserRedirect: true },
  });
  if (error || !data.url) return outcome(error);
  const answer = await fetchWithTimeout(data.url, { redirect: 'manual' });
  if (answer.type !== 'opaqueredirect' && !answer.ok) {
    const refused = refusal.safeParse(await answer.json().catch(() => null));
    return { ok: false, message: refused.success ? googleErrorMessage(refused.data) : undefined };
  }
  window.location.assign(data.url);
  return { ok: true };
}

const refusal = z.object({ error_code: z.optional(z.string()), msg: z.string() });

function outcome(error: AuthError | null): SignInOutcome {
  if (!error) return { ok: true };
  if (hasNoAnswer(error)) return { ok: false, message: undefined };
  const isTooEarly = error.code === 'over_email_send_rate_limit';
  return { ok: false, message: errorMessageOf(errorMessages, error), isTooEarly };
}
