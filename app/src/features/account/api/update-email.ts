import { useMutation, useQueryClient } from '@tanstack/react-query';
import { supabase } from '@/lib/supabase';
import { emailErrorMessage } from '../error-messages';
import { accountKeys } from './keys';

/** `confirm`: the old address stays until the new one is confirmed (SPECIFICATION.md S-307). */
type EmailUpdate = 'changed' | 'confirm';

/** Changes the address of the signed-in user. Throws if the server refuses it. */
async function updateEmail(email: string): Promise<EmailUpdate> {
  const { data, error } = await supabase.auth.updateUser({ email });
  if (error) throw new Error(emailErrorMessage(error));
  return data.user.email === email ? 'changed' : 'confirm';
}

export function useUpdateEmail(userId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: updateEmail,
    onSuccess: () => client.invalidateQueries({ queryKey: accountKeys.account(userId) }),
  });
}
