import { readFunctionError } from '@/lib/function-error';
import { supabase } from '@/lib/supabase';

/** Whether the user was notified. `reason` is the function's sentence, if there is one. */
type Notice = { kind: 'notified' } | { kind: 'not-notified'; reason: string | undefined };

/**
 * `repeated`: an earlier press whose answer was lost has just added them. `unknown`: no answer says
 * whether they were added.
 */
export type CreditsResult = Notice | { kind: 'repeated' | 'unknown' };

const justAdded = /^You have just added this number/;

/**
 * Adds credits and notifies the user by mail. Throws if they were not added. A failed mail undoes
 * nothing and is logged (SPECIFICATION.md S-329, S-330).
 */
export async function addCredits(
  { id, email, coins }: { id: string; email: string; coins: number },
  credits: number,
): Promise<CreditsResult> {
  const { data, error, status } = await supabase.rpc('admin_update_user_credits', {
    target_user_id: id,
    credit_change: credits,
  });
  // The client uses status 0 for no answer, and a
  // gateway may answer without knowing of the credits.
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

/** Throws the message of the API. */
export async function assignRole(userId: string, role: string): Promise<void> {
  const { error } = await supabase.rpc('assign_user_role', { target_user_id: userId, new_role: role });
  if (error) throw new Error(error.message);
}

/** Throws the message of the API, also if nothing was removed. */
export async function removeRole(userId: string, role: string): Promise<void> {
  const { data, error } = await supabase
    .from('user_roles')
    .delete()
    .match({ user_id: userId, role })
    .select('role');
  if (error) throw new Error(error.message);
  if (data.length === 0) throw new Error('the role was not there');
}

/** Deletes account, profile and payments. Throws the message of the API. */
export async function deleteUser(userId: string): Promise<void> {
  const { error } = await supabase.rpc('admin_delete_user', { target_user_id: userId });
  if (error) throw new Error(error.message);
}
