import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Navigate, Outlet, useNavigate } from 'react-router';
import { LoadingScreen } from '@/components/loading-screen';
import { ConnectionProblemBar } from '@/components/connection-problem-bar';
import { SessionProvider } from '@/features/auth/session-provider';
import { loadTexts } from '@/lib/i18n';
import { queryClient } from '@/lib/query-client';
import { isSessionPending, useSession } from '@/lib/session';

/**
 * The layout of /auth and the signed-in screens: the session and the cache of the API's answers.
 */
export default function AccountLayout() {
  return (
    <QueryClientProvider client={queryClient}>
      <SessionProvider>
        <ConnectionProblemBar />
        <LeaveAfterSignOut />
        <LiveUpdates />
        <Outlet />
      </SessionProvider>
    </QueryClientProvider>
  );
}

/**
 * Sends users who have just signed out to /auth, also from screens that visitors may see
 * (SPECIFICATION.md S-147, S-149).
 */
function LeaveAfterSignOut() {
  const { session } = useSession();
  const wasSignedIn = useRef(false);
  const navigate = useNavigate();
  useEffect(() => {
    if (session.status === 'signed-out' && wasSignedIn.current) void navigate('/auth', { replace: true });
    wasSignedIn.current = session.status === 'signed-in';
  }, [session.status, navigate]);
  return null;
}

/** The screen comes first, and the socket after it. Milliseconds. */
const updatesAfterMs = 1_500;

/** Follows what changes for the signed-in user. Without its file the screens read by themselves. */
function LiveUpdates() {
  const { session } = useSession();
  const userId = session.status === 'signed-in' ? session.user.id : null;
  useEffect(() => {
    if (userId === null) return;
    let signedOut = false;
    let stop: (() => void) | undefined;
    const follow = async () => {
      const [{ followUpdates }] = await Promise.all([import('./live-updates'), loadTexts(['updates'])]);
      if (!signedOut) stop = followUpdates(userId);
    };
    const timer = window.setTimeout(() => {
      follow().catch(() => undefined);
    }, updatesAfterMs);
    return () => {
      signedOut = true;
      window.clearTimeout(timer);
      stop?.();
    };
  }, [userId]);
  return null;
}

/** Sends visitors to /auth, once it is known that there is no session (SPECIFICATION.md S-046). */
export function RequireSession() {
  const { session } = useSession();
  if (isSessionPending(session)) return <LoadingScreen />;
  if (session.status === 'signed-out') {
    return (
      <>
        <LoadingScreen redirecting />
        <Navigate to="/auth" replace />
      </>
    );
  }
  return <Outlet key={session.user.id} />;
}
