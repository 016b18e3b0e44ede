import { isAuthApiError } from '@supabase/supabase-js';
import { supabase } from '@/lib/supabase';

const refused = new Set([401, 403]);

/**
 * Asks the server whether the stored session is still valid. If it is not, it signs out on this
 * device, because the account was deleted or signed out elsewhere (SPECIFICATION.md S-152). Without
 * an answer the session stays.
 */
export async function confirmSession(): Promise<void> {
  const { error } = await supabase.auth.getUser();
  if (isAuthApiError(error) && refused.has(error.status)) await supabase.auth.signOut({ scope: 'local' });
}
