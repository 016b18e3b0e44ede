import { createContext, useContext } from 'react';

export interface SessionUser {
  id: string;
  email: string;
}

export type SessionState =
  | { status: 'loading' }
  /** Somebody is signed in on this device, and the server that has to renew the session does not answer. */
  | { status: 'unreachable' }
  | { status: 'signed-out' }
  | { status: 'signed-in'; user: SessionUser };

/** Whether it is still to come who is signed in: a screen that depends on it waits. */
export function isSessionPending(
  session: SessionState,
): session is Extract<SessionState, { status: 'loading' | 'unreachable' }> {
  return session.status === 'loading' || session.status === 'unreachable';
}

export interface SessionValue {
  session: SessionState;
  /**
   * Clears what this device knows of its user, what was typed included, tells the server if it can, and fails
   * only where the device does not let its session go (SPECIFICATION.md S-149, S-319).
   */
  signOut: () => Promise<void>;
  /** The same where the server ended the session: what was typed here stays for its user. */
  sessionEnded: () => Promise<void>;
}

export const SessionContext = createContext<SessionValue | null>(null);

export function useSession(): SessionValue {
  const value = useContext(SessionContext);
  if (!value) throw new Error('useSession needs a SessionProvider above it');
  return value;
}

/** The signed-in user, on screens behind the guard. */
export function useUser(): SessionUser {
  const { session } = useSession();
  if (session.status !== 'signed-in') throw new Error('useUser needs RequireSession above it');
  return session.user;
}
