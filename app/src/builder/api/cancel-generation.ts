import { supabase } from '@/lib/supabase';

/** `cancelled`: it was dropped and the credits went back (decisions.md D09); `unknown`: the server did not say. */
export type CancelOutcome = 'cancelled' | 'too-late' | 'unknown';

/** Asks the server to drop a running generation. */
export async function cancelGeneration(key: string): Promise<CancelOutcome> {
  const { data, error } = await supabase.rpc('cancel_generation', { request_key: key });
  if (error) return 'unknown';
  return data ? 'cancelled' : 'too-late';
}
