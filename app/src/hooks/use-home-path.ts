import { useStoredSession } from './use-stored-session';

/** Returns the home of the user: the tools of a teacher, or the landing page for a visitor. */
export function useHomePath(): '/' | '/home' {
  return useStoredSession() ? '/home' : '/';
}
