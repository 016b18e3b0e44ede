import { readRefusal } from '@/lib/function-refusal';
import { supabase } from '@/lib/supabase';

/** Whether the user hears of the credits; `reason` is the function's sentence, where it gave one. */
export type Notice = { kind: 'told' } | { kind: 'not-told'; reason: string | undefined };

/**
 * Adds credits and tells the user by mail. Throws when they were not added; a mail that fails undoes nothing and is
 * logged (screens.md S-329, S-330).
 */
export async function addCredits(
  { id, email, coins }: { id: string; email: string; coins: number },
  credits: number,
): Promise<Notice> {
  const { data, error } = await supabase.rpc('admin_update_user_credits', {
    target_user_id: id,
    credit_change: credits,
  });
  if (error) throw new Error(error.message);
  const told = await supabase.functions.invoke<unknown>('send-credit-notification', {
    body: { email, newCreditAmount: typeof data === 'number' ? data : coins + credits },
  });
  const failure: unknown = told.error;
  if (!failure) return { kind: 'told' };
  console.error('the user could not be told of the credits', failure);
  const refusal = await readRefusal(failure);
  return { kind: 'not-told', reason: refusal.kind === 'refused' ? refusal.message : undefined };
}

/** Throws what the API says. */
export async function assignRole(userId: string, role: string): Promise<void> {
  const { error } = await supabase.rpc('assign_user_role', { target_user_id: userId, new_role: role });
  if (error) throw new Error(error.message);
}

/** Throws what the API says, also where nothing was taken away. */
export async function removeRole(userId: string, role: string): Promise<void> {
  const { data, error } = await supabase
    .from('user_roles')
    .delete()
    .match({ user_id: userId, role })
    .select('role');
  if (error) throw new Error(error.message);
  if (data.length === 0) throw new Error('the role was not there');
}

/** Deletes account, profile and payments. Throws what the API says. */
export async function deleteUser(userId: string): Promise<void> {
  const { error } = await supabase.rpc('admin_delete_user', { target_user_id: userId });
  if (error) throw new Error(error.message);
}
