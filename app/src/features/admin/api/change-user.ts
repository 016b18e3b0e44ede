import { supabase } from '@/lib/supabase';

/**
 * Adds credits and tells the user by mail. Throws when they were not added; `false` means that only the mail failed,
 * which is logged (screens.md S-329, S-330).
 */
export async function addCredits(
  { id, email, coins }: { id: string; email: string; coins: number },
  credits: number,
): Promise<boolean> {
  const { data, error } = await supabase.rpc('admin_update_user_credits', {
    target_user_id: id,
    credit_change: credits,
  });
  if (error) throw new Error(error.message);
  const told = await supabase.functions.invoke<unknown>('send-credit-notification', {
    body: { email, newCreditAmount: typeof data === 'number' ? data : coins + credits },
  });
  if (told.error) console.error('the user could not be told of the credits', told.error);
  return !told.error;
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
