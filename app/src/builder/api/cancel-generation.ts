import { authorizationFor } from '@/lib/user-authorization';
import { supabase } from '@/lib/supabase';

/**
 * Asks the server to cancel a running generation. True means that it was cancelled and the credits
 * went back (SPECIFICATION.md D09). False only means that nothing was cancelled: the generation was
 * done, had not begun, or no answer arrived. The key depends on the form alone, so under another
 * user's token it would cancel that user's generation of the same form.
 */
export async function cancelGeneration(userId: string, key: string): Promise<boolean> {
  const headers = await authorizationFor(userId);
  if (!headers) return false;
  const { data, error } = await supabase
    .rpc('cancel_generation', { request_key: key })
    .setHeader('Authorization', headers.Authorization);
  return !error && data;
}
