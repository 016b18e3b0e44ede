import { supabase } from '@/lib/supabase';

/** Asks the server to drop a running generation. True: it was dropped and the credits went back (decisions.md D09). */
export async function cancelGeneration(key: string): Promise<boolean> {
  const { data, error } = await supabase.rpc('cancel_generation', { request_key: key });
  return !error && data;
}
