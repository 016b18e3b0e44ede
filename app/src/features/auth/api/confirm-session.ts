import { isAuthApiError, isAuthSessionMissingError } from '@supabase/supabase-js';
import { hasStoredSession } from '@/lib/stored-session';
import { supabase } from '@/lib/supabase';

const refused = new Set([401, 403]);

/**
 * Asks the server whether the stored session is still valid. If it is not, it signs out on this
 * device, because the account was deleted or signed out elsewhere (SPECIFICATION.md S-152). Without
 * an answer the session stays.
 */
export async function confirmSession(): Promise<'valid' | 'ended' | 'unknown'> {
  const wasStored = hasStoredSession();
  const { error } = await supabase.auth.getUser();
  if (!error) return 'valid';
  // The client has already removed a session that the server does not know.
  if (isAuthSessionMissingError(error)) return wasStored ? 'ended' : 'unknown';
  if (!isAuthApiError(error) || !refused.has(error.status)) return 'unknown';
  await supabase.auth.signOut({ scope: 'local' });
  return 'ended';
}
