import { vi } from 'vitest';
import { supabase } from '@/lib/supabase';

/** The client has a session, or none, as after signing in. */
export function signedInAs(id: string | null) {
  vi.spyOn(supabase.auth, 'getSession').mockResolvedValue(
    id === null
      ? { data: { session: null }, error: null }
      : {
          data: {
            session: {
              access_token: 'token',
              refresh_token: 'refresh',
              expires_in: 3600,
              token_type: 'bearer',
              user: { id, app_metadata: {}, user_metadata: {}, aud: 'authenticated', created_at: '' },
            },
          },
          error: null,
        },
  );
}
