/** Where supabase-js keeps the session on this device. */
export const sessionStorageKey = 'session';

/** Whether somebody may be signed in here: asked by public pages, which load the API's client only then. */
export function hasStoredSession(): boolean {
  try {
    return localStorage.getItem(sessionStorageKey) !== null;
  } catch {
    return false;
  }
}
