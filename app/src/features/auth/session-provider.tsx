import type { AuthChangeEvent, Session } from '@supabase/supabase-js';
import { startTransition, useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { clearUserData } from '@/lib/clear-user-data';
import { queryClient } from '@/lib/query-client';
import { SessionContext, type SessionState, type SessionValue } from '@/lib/session';
import { hasStoredSession, returnPath, storedUserId, removeStoredSession } from '@/lib/stored-session';
import { sessionStorageKey, supabase } from '@/lib/supabase';
import { confirmSession } from './api/confirm-session';

/**
 * After this time without an answer the screen says that the server does not answer. The client
 * itself tries for 25 s.
 */
const unreachableAfterMs = 3_000;

/**
 * Knows who is signed in. It is `loading` until the client has read the stored session, so that a
 * reload of a signed-in screen does not flash /auth (SPECIFICATION.md S-046).
 */
export function SessionProvider({ children }: { children: ReactNode }) {
  const [session, setSession] = useState<SessionState>({ status: 'loading' });
  const navigate = useRef(useNavigate());
  const announced = useRef(false);

  useEffect(() => {
    const { data } = supabase.auth.onAuthStateChange((event, current) => {
      if (current) announced.current = true;
      if (event === 'SIGNED_OUT') queryClient.clear();
      // This runs outside the client's own lock, which the callback holds.
      if (event === 'INITIAL_SESSION' && current) setTimeout(() => void confirmSession(), 0);
      // The client removes the code from the address once it has a session for it.
      if (event === 'INITIAL_SESSION' && isReturnWithCode(window.location))
        void navigate.current('/auth?error=code_not_taken', { replace: true });
      // The waiting screen renders in pieces, so that a slow phone answers taps meanwhile.
      startTransition(() => {
        setSession((previous) => nextState(previous, current, event));
      });
    });
    return () => {
      data.subscription.unsubscribe();
    };
  }, []);

  useEffect(() => {
    if (session.status !== 'loading') return;
    const timer = window.setTimeout(() => {
      // After a session was announced, the state stays `loading` until its
      // screen has loaded. That is not the fault of the server. Without
      // this check the state would replace the session and stay.
      if (!announced.current && hasStoredSession()) setSession({ status: 'unreachable' });
    }, unreachableAfterMs);
    return () => {
      window.clearTimeout(timer);
    };
  }, [session.status]);

  // If the server does not answer a sign-out, the session is removed by hand, and the client of
  // another tab gets no event.
  useEffect(() => {
    function onStorage({ key, newValue }: StorageEvent) {
      // Without a key the whole storage was cleared.
      if ((key !== null && key !== sessionStorageKey) || newValue !== null) return;
      queryClient.clear();
      setSession({ status: 'signed-out' });
    }
    window.addEventListener('storage', onStorage);
    return () => {
      window.removeEventListener('storage', onStorage);
    };
  }, []);

  const sessionEnded = useCallback(async () => {
    const token = removeStoredSession();
    queryClient.clear();
    setSession({ status: 'signed-out' });
    // Without a stored session the client makes no call and notifies the other tabs at once.
    await supabase.auth.signOut({ scope: 'local' }).catch(() => undefined);
    // The token ends the session on the server and signs out no other device. Its late answer
    // changes nothing here, where another user may be signed in by then.
    if (token !== undefined) void supabase.auth.admin.signOut(token, 'local').catch(() => undefined);
  }, []);

  const signOut = useCallback(async () => {
    const userId = storedUserId();
    await sessionEnded();
    if (userId) clearUserData(userId);
  }, [sessionEnded]);

  const value = useMemo<SessionValue>(
    () => ({ session, signOut, sessionEnded }),
    [session, signOut, sessionEnded],
  );
  return <SessionContext value={value}>{children}</SessionContext>;
}

/** On other pages a `code` has its own meaning. */
function isReturnWithCode({ pathname, search }: Location): boolean {
  return pathname === returnPath && new URLSearchParams(search).has('code');
}

function nextState(previous: SessionState, session: Session | null, event: AuthChangeEvent): SessionState {
  // A session that the server refused is gone from the device. One that is still stored could not
  // be renewed because no answer came. The client keeps trying.
  if (!session && event === 'INITIAL_SESSION' && hasStoredSession()) return { status: 'unreachable' };
  if (!session) return { status: 'signed-out' };
  const user = { id: session.user.id, email: session.user.email ?? '' };
  const unchanged =
    previous.status === 'signed-in' && previous.user.id === user.id && previous.user.email === user.email;
  return unchanged ? previous : { status: 'signed-in', user };
}
