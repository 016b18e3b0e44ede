import { useMutation, useQueryClient } from '@tanstack/react-query';
import { supabase } from '@/lib/supabase';
import { sentenceOf } from '../refusals';
import { accountKeys } from './keys';

/** A code and the address that it was sent to. */
export interface SentCode {
  email: string;
  code: string;
}

/** Takes one code after the other; each counts once, so those that were taken are told. Throws what the server says of the next. */
async function confirmEmail(codes: readonly SentCode[], taken: (email: string) => void): Promise<void> {
  for (const { email, code } of codes) {
    const { error } = await supabase.auth.verifyOtp({ email, token: code, type: 'email_change' });
    if (error) throw new Error(sentenceOf(error));
    taken(email);
  }
}

export function useConfirmEmail(userId: string, taken: (email: string) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (codes: readonly SentCode[]) => confirmEmail(codes, taken),
    onSuccess: () => client.invalidateQueries({ queryKey: accountKeys.account(userId) }),
  });
}
