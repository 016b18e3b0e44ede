import { createContext, useContext } from 'react';

export interface SessionUser {
  id: string;
  email: string;
}

export type SessionState =
  | { status: 'loading' }
  /**
   * Somebody is signed in on this device, but the server
   * does not answer the renewal of the session.
   */
  | { status: 'unreachable' }
  | { status: 'signed-out' }
  | { status: 'signed-in'; user: SessionUser };

/** Whether it is not known yet who is signed in. A screen that depends on it waits. */
export function isSessionPending(
  session: SessionState,
): session is Extract<SessionState, { status: 'loading' | 'unreachable' }> {
  return session.status === 'loading' || session.status === 'unreachable';
}

export interface SessionValue {
  session: SessionState;
  /**
   * Clears the user's data on this device, including typed text, and
   * ends the session on the server if possible. It fails only if the
   * device cannot remove its session (SPECIFICATION.md S-149, S-319).
   */
  signOut: () => Promise<void>;
  /** The same if the server ended the session. Typed text stays for its user. */
  sessionEnded: () => Promise<void>;
}

export const SessionContext = createContext<SessionValue | null>(null);

export function useSession(): SessionValue {
  const value = useContext(SessionContext);
  if (!value) throw new Error('useSession needs a SessionProvider above it');
  return value;
}

/** Returns the signed-in user, on screens behind the guard. */
export function useUser(): SessionUser {
  const { session } = useSession();
  if (session.status !== 'signed-in') throw new Error('useUser needs RequireSession above it');
  return session.user;
}
