import { supabase } from './supabase';

/**
 * Returns the Authorization header of a user, or null if that user is not signed in here any more.
 * Without it the client uses whatever session is there when the call starts, which may be after a
 * pause for a new token.
 */
export async function authorizationFor(userId: string): Promise<{ Authorization: string } | null> {
  const { data } = await supabase.auth.getSession();
  if (data.session?.user.id !== userId) return null;
  return { Authorization: `Bearer ${data.session.access_token}` };
}
