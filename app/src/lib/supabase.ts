import { SupabaseClient } from '@supabase/supabase-js';
import type { Database } from '@/types/database.gen';
import { env } from './env';
import { fetchWithTimeout } from './fetch-with-timeout';
import { sessionStorageKey } from './stored-session';

export { sessionStorageKey };

class Client extends SupabaseClient<Database> {
  /**
   * Makes failed reads report at once. The client would retry for seven seconds while the screen
   * says nothing, and the queries read again by themselves. A read for a press asks for retries
   * with `retry(true)`.
   */
  withoutRetries(): this {
    this.rest.retry = false;
    return this;
  }
}

/** The origin of the page serves the API unless the configuration names another. */
export const apiUrl = env.supabaseUrl || window.location.origin;

/** Seconds before a lost socket is tried again. A network that forbids sockets is left in peace. */
const reconnectAfterS = [1, 5, 30, 120];

/** The one client of the API. */
export const supabase = new Client(apiUrl, env.supabaseKey, {
  auth: { flowType: 'pkce', storageKey: sessionStorageKey },
  global: { fetch: fetchWithTimeout },
  realtime: { reconnectAfterMs: (tries) => (reconnectAfterS[tries - 1] ?? 600) * 1_000 },
}).withoutRetries();
