import { supabase } from '@/lib/supabase';

/** The balance as it is now, null without a profile; undefined when it cannot be read. */
export async function readCoins(userId: string): Promise<number | null | undefined> {
  const { data, error } = await supabase.from('profiles').select('coins').eq('user_id', userId).maybeSingle();
  return error ? undefined : (data?.coins ?? null);
}
