import type { AuthError } from '@supabase/supabase-js';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { supabase } from '@/lib/supabase';
import { emailErrorMessage } from '../error-messages';
import { accountKeys } from './keys';

/** A code and the address to which it was sent. */
export interface SentCode {
  email: string;
  code: string;
}

/** `half`: the code of the other address is still missing. */
type Confirmation = 'changed' | 'half';

/**
 * Submits one code after the other. A code counts once, so each accepted code is reported to
 * `taken`. A refused code may have been accepted before a reload, so the next code is tried all the
 * same. Throws why the address has not changed yet.
 */
async function confirmEmail(
  codes: readonly SentCode[],
  taken: (email: string) => void,
): Promise<Confirmation> {
  let refused: AuthError | null = null;
  for (const { email, code } of codes) {
    const { data, error } = await supabase.auth.verifyOtp({ email, token: code, type: 'email_change' });
    if (error && error.code !== 'otp_expired') throw new Error(emailErrorMessage(error));
    // The code that completes the change is answered with the user.
    if (data.user) return 'changed';
    if (error) refused = error;
    else taken(email);
  }
  if (refused) throw new Error(emailErrorMessage(refused));
  return 'half';
}

export function useConfirmEmail(userId: string, taken: (email: string) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (codes: readonly SentCode[]) => confirmEmail(codes, taken),
    onSuccess: () => client.invalidateQueries({ queryKey: accountKeys.account(userId) }),
  });
}
