import { sessionStorageKey, verifierStorageKey } from '@/lib/stored-session';

/** Somebody is signed in on this device, as supabase-js keeps it. */
export function storeSession({ id, email }: { id: string; email: string }) {
  const user = { id, email, app_metadata: {}, user_metadata: {}, aud: 'authenticated', created_at: '' };
  const session = {
    access_token: 'token',
    refresh_token: 'refresh',
    expires_in: 3600,
    // Never comes in a test.
    expires_at: 4_000_000_000,
    token_type: 'bearer',
    user,
  };
  localStorage.setItem(sessionStorageKey, JSON.stringify(session));
}

/** This device began a sign-in at a provider, as supabase-js keeps it. */
export function storeVerifier() {
  localStorage.setItem(verifierStorageKey, '"verifier"');
}
