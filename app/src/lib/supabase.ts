import { SupabaseClient } from '@supabase/supabase-js';
import type { Database } from '@/types/database.gen';
import { env } from './env';
import { fetchWithTimeout } from './fetch-with-timeout';
import { sessionStorageKey } from './stored-session';

export { sessionStorageKey };

class Client extends SupabaseClient<Database> {
  /**
   * A read of a table that fails says so at once: the client would try for seven seconds more while the screen says
   * nothing, and the queries ask again by themselves. What a press depends on asks for the tries with `retry(true)`.
   */
  readsFailAtOnce(): this {
    this.rest.retry = false;
    return this;
  }
}

/** The one client of the API. The origin of the page serves it unless the configuration names another. */
export const supabase = new Client(env.supabaseUrl || window.location.origin, env.supabaseKey, {
  auth: { flowType: 'pkce', storageKey: sessionStorageKey },
  global: { fetch: fetchWithTimeout },
}).readsFailAtOnce();
