import { authorizationFor } from '@/lib/user-authorization';
import { supabase } from '@/lib/supabase';

/**
 * Asks the server to drop a running generation. True: it was dropped and the credits went back
 * (SPECIFICATION.md D09). False says no more than that nothing was dropped: it was done, or had not begun, or
 * no answer came. The key names the form alone: under somebody else's token it would drop that user's
 * generation of the same form.
 */
export async function cancelGeneration(userId: string, key: string): Promise<boolean> {
  const headers = await authorizationFor(userId);
  if (!headers) return false;
  const { data, error } = await supabase
    .rpc('cancel_generation', { request_key: key })
    .setHeader('Authorization', headers.Authorization);
  return !error && data;
}
