import { sessionStorageKey, verifierStorageKey } from '@/lib/stored-session';

/** Stores a session on this device, as supabase-js does. */
export function storeSession({ id, email }: { id: string; email: string }) {
  const user = { id, email, app_metadata: {}, user_metadata: {}, aud: 'authenticated', created_at: '' };
  const session = {
    access_token: 'token',
    refresh_token: 'refresh',
    expires_in: 3600,
    // This time never comes in a test.
    expires_at: 4_000_000_000,
    token_type: 'bearer',
    user,
  };
  localStorage.setItem(sessionStorageKey, JSON.stringify(session));
}

/** Stores the code verifier of a sign-in that this device began, as supabase-js does. */
export function storeVerifier() {
  localStorage.setItem(verifierStorageKey, '"verifier"');
}
