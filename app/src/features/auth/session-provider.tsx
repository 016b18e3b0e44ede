import type { AuthChangeEvent, Session } from '@supabase/supabase-js';
import { startTransition, useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { clearUserData } from '@/lib/clear-user-data';
import { queryClient } from '@/lib/query-client';
import { SessionContext, type SessionState, type SessionValue } from '@/lib/session';
import { hasStoredSession, returnPath, storedUserId, takeStoredSession } from '@/lib/stored-session';
import { sessionStorageKey, supabase } from '@/lib/supabase';
import { confirmSession } from './api/confirm-session';

/** After so long without an answer it is said that the server does not answer; the client itself tries for 25 s. */
const unreachableAfterMs = 3_000;

/**
 * Knows who is signed in. It says `loading` until the client has read the stored session, so that a reload of a
 * signed-in screen does not flash /auth (SPECIFICATION.md S-046).
 */
export function SessionProvider({ children }: { children: ReactNode }) {
  const [session, setSession] = useState<SessionState>({ status: 'loading' });
  const navigate = useRef(useNavigate());
  const announced = useRef(false);

  useEffect(() => {
    const { data } = supabase.auth.onAuthStateChange((event, current) => {
      if (current) announced.current = true;
      if (event === 'SIGNED_OUT') queryClient.clear();
      // Outside of the client's own lock, which this callback holds.
      if (event === 'INITIAL_SESSION' && current) setTimeout(() => void confirmSession(), 0);
      // The client takes the code of a return out of the address once it has a session for it.
      if (event === 'INITIAL_SESSION' && isReturnWithCode(window.location))
        void navigate.current('/auth?error=code_not_taken', { replace: true });
      // The screen that waited for it is rendered piece by piece, and a slow phone answers taps meanwhile.
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
      // A session that was announced stays `loading` for as long as its screen is on its way, which is no silence of the
      // server. Set without a look at it, this state would come after the session, and stay.
      if (!announced.current && hasStoredSession()) setSession({ status: 'unreachable' });
    }, unreachableAfterMs);
    return () => {
      window.clearTimeout(timer);
    };
  }, [session.status]);

  // A sign-out that the server did not answer removes the session by hand: the client of another tab is not told.
  useEffect(() => {
    function onStorage({ key, newValue }: StorageEvent) {
      // Without a key everything was cleared.
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
    const token = takeStoredSession();
    queryClient.clear();
    setSession({ status: 'signed-out' });
    // Without a session on the device the client asks nobody, and tells the other tabs at once.
    await supabase.auth.signOut({ scope: 'local' }).catch(() => undefined);
    // The server is told by the token, and no other device is signed out: whenever its answer comes, it changes nothing
    // here, where somebody else may be signed in by then.
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

/** Elsewhere a `code` is a matter of that page. */
function isReturnWithCode({ pathname, search }: Location): boolean {
  return pathname === returnPath && new URLSearchParams(search).has('code');
}

function nextState(previous: SessionState, session: Session | null, event: AuthChangeEvent): SessionState {
  // A session that the server refused is gone from the device; one that is still there could not be renewed, since no
  // answer came. The client goes on trying.
  if (!session && event === 'INITIAL_SESSION' && hasStoredSession()) return { status: 'unreachable' };
  if (!session) return { status: 'signed-out' };
  const user = { id: session.user.id, email: session.user.email ?? '' };
  const unchanged =
    previous.status === 'signed-in' && previous.user.id === user.id && previous.user.email === user.email;
  return unchanged ? previous : { status: 'signed-in', user };
}
