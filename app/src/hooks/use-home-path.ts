import { useStoredSession } from './use-stored-session';

/** Where home is: a teacher's tools, or the landing page for a visitor. */
export function useHomePath(): '/' | '/home' {
  return useStoredSession() ? '/home' : '/';
}
