import { supabase } from '@/lib/supabase';

/** Deletes the profile with its credits; the account stays until an administrator deletes it. Throws when refused. */
export async function deleteProfile(userId: string): Promise<void> {
  const { error } = await supabase.from('profiles').delete().eq('user_id', userId);
  if (error) throw new Error(error.message);
}
