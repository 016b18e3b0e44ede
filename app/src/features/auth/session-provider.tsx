import type { Session } from '@supabase/supabase-js';
import { startTransition, useCallback, useEffect, useMemo, useState, type ReactNode } from 'react';
import { forgetTyped } from '@/lib/left-on-device';
import { queryClient } from '@/lib/query-client';
import { SessionContext, type SessionState, type SessionValue } from '@/lib/session';
import { storedUserId } from '@/lib/stored-session';
import { sessionStorageKey, supabase } from '@/lib/supabase';
import { confirmSession } from './api/confirm-session';

/**
 * Knows who is signed in. It says `loading` until the client has read the stored session, so that a reload of a
 * signed-in screen does not flash /auth (screens.md S-046).
 */
export function SessionProvider({ children }: { children: ReactNode }) {
  const [session, setSession] = useState<SessionState>({ status: 'loading' });

  useEffect(() => {
    const { data } = supabase.auth.onAuthStateChange((event, current) => {
      if (event === 'SIGNED_OUT') queryClient.clear();
      // Outside of the client's own lock, which this callback holds.
      if (event === 'INITIAL_SESSION' && current) setTimeout(() => void confirmSession(), 0);
      // The screen that waited for it is rendered piece by piece, and a slow phone answers taps meanwhile.
      startTransition(() => {
        setSession((previous) => nextState(previous, current));
      });
    });
    return () => {
      data.subscription.unsubscribe();
    };
  }, []);

  // A sign-out that the server did not answer removes the session by hand: the client of another tab is not told.
  useEffect(() => {
    function look({ key, newValue }: StorageEvent) {
      if (key !== sessionStorageKey || newValue !== null) return;
      queryClient.clear();
      setSession({ status: 'signed-out' });
    }
    window.addEventListener('storage', look);
    return () => {
      window.removeEventListener('storage', look);
    };
  }, []);

  const sessionEnded = useCallback(async () => {
    const told = supabase.auth.signOut().catch(() => undefined);
    queryClient.clear();
    await Promise.race([told, new Promise((resolve) => setTimeout(resolve, 3_000))]);
    // Without an answer from the server the client keeps its session: this device forgets it all the same.
    localStorage.removeItem(sessionStorageKey);
    setSession({ status: 'signed-out' });
  }, []);

  const signOut = useCallback(async () => {
    const userId = storedUserId();
    await sessionEnded();
    if (userId !== null) forgetTyped(userId);
  }, [sessionEnded]);

  const value = useMemo<SessionValue>(
    () => ({ session, signOut, sessionEnded }),
    [session, signOut, sessionEnded],
  );
  return <SessionContext value={value}>{children}</SessionContext>;
}

function nextState(previous: SessionState, session: Session | null): SessionState {
  if (!session) return { status: 'signed-out' };
  const user = { id: session.user.id, email: session.user.email ?? '' };
  const unchanged =
    previous.status === 'signed-in' && previous.user.id === user.id && previous.user.email === user.email;
  return unchanged ? previous : { status: 'signed-in', user };
}
