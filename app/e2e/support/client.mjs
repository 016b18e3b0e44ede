import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createClient } from '@supabase/supabase-js';
import { baseURL, inboxURL, publishableKey } from './env.mjs';
import { readCode } from './inbox.mjs';

/** No channel is opened, but the client asks for sockets, which Node 20 does not have. */
class NoSocket {}

/** The official client of a visitor. */
export function visitorClient() {
  return createClient(baseURL, publishableKey, {
    auth: { persistSession: false },
    realtime: { transport: NoSocket },
  });
}

/** The official client of a new account, signed in by the code from the inbox. */
export async function newAccount(name) {
  const email = `${name}-${randomUUID()}@school.example`;
  const supabase = visitorClient();
  const sent = await supabase.auth.signInWithOtp({ email, options: { shouldCreateUser: true } });
  assert.equal(sent.error, null);
  const token = await readCode(inboxURL, email);
  const { data, error } = await supabase.auth.verifyOtp({ email, token, type: 'email' });
  assert.equal(error, null);
  return { supabase, id: data.user.id, email };
}
