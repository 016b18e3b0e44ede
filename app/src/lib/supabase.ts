import { createClient } from '@supabase/supabase-js';
import type { Database } from '@/types/database.gen';
import { env } from './env';
import { fetchInTime } from './fetch-in-time';
import { sessionStorageKey } from './stored-session';

export { sessionStorageKey };

/** The one client of the API. The origin of the page serves it unless the configuration names another. */
export const supabase = createClient<Database>(env.supabaseUrl || window.location.origin, env.supabaseKey, {
  auth: { flowType: 'pkce', storageKey: sessionStorageKey },
  global: { fetch: fetchInTime },
});
