import { supabase } from '@/lib/supabase';

/**
 * The balance as it is now, null without a profile; undefined when it cannot be read. With `retry` a network that
 * fails is tried for some seconds: a press, unlike a screen, does not ask again by itself.
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
