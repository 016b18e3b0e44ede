import { readFunctionError } from '@/lib/function-error';
import { supabase } from '@/lib/supabase';

/** Whether the user hears of the credits; `reason` is the function's sentence, where it gave one. */
type Notice = { kind: 'notified' } | { kind: 'not-notified'; reason: string | undefined };

/** `repeated`: added just now, by a press whose answer was lost. `unknown`: no answer says whether they were added. */
export type Addition = Notice | { kind: 'repeated' | 'unknown' };

const justAdded = /^You have just added this number/;

/**
 * Adds credits and tells the user by mail. Throws when they were not added; a mail that fails undoes nothing and is
 * logged (SPECIFICATION.md S-329, S-330).
 */
export async function addCredits(
  { id, email, coins }: { id: string; email: string; coins: number },
  credits: number,
): Promise<Addition> {
  const { data, error, status } = await supabase.rpc('admin_update_user_credits', {
    target_user_id: id,
    credit_change: credits,
  });
  // The client's own word for no answer is 0, and a gateway gives one without having heard of the credits.
  if (error && (status === 0 || status >= 500)) return { kind: 'unknown' };
  if (error && justAdded.test(error.message)) return { kind: 'repeated' };
  if (error) throw new Error(error.message);
  return notify(email, typeof data === 'number' ? data : coins + credits);
}

async function notify(email: string, newCreditAmount: number): Promise<Notice> {
  const response = await supabase.functions.invoke<unknown>('send-credit-notification', {
    body: { email, newCreditAmount },
  });
  const failure: unknown = response.error;
  if (!failure) return { kind: 'notified' };
  console.error('the user could not be told of the credits', failure);
  const refusal = await readFunctionError(failure);
  return { kind: 'not-notified', reason: refusal.kind === 'refused' ? refusal.message : undefined };
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
