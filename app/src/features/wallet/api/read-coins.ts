import { supabase } from '@/lib/supabase';

/**
 * Reads the balance. It is null without a profile, and undefined if it cannot
 * be read. With `retry` a failing network is tried for some seconds, because
 * a press, unlike a screen, does not read again by itself.
 */
export async function readCoins(userId: string, retry = false): Promise<number | null | undefined> {
  const { data, error } = await supabase
    .from('profiles')
    .select('coins')
    .eq('user_id', userId)
    .maybeSingle()
    .retry(retry);
  return error ? undefined : (data?.coins ?? null);
}
