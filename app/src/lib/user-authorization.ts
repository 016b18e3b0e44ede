import { supabase } from './supabase';

/**
 * The header of a call in a user's own name; null once nobody or somebody else is signed in here. Without it the client
 * takes whatever session is there when the call goes out, which may be after a pause for a new token.
 */
export async function authorizationFor(userId: string): Promise<{ Authorization: string } | null> {
  const { data } = await supabase.auth.getSession();
  if (data.session?.user.id !== userId) return null;
  return { Authorization: `Bearer ${data.session.access_token}` };
}
