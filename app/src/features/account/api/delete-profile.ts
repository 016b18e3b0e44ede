import { supabase } from '@/lib/supabase';

/**
 * Deletes the profile with its credits. The account stays until
 * an administrator deletes it. Throws if it is refused.
 */
export async function deleteProfile(userId: string): Promise<void> {
  const { error } = await supabase.from('profiles').delete().eq('user_id', userId);
  if (error) throw new Error(error.message);
}
