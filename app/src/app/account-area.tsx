import { QueryClientProvider } from '@tanstack/react-query';
import { Navigate, Outlet } from 'react-router';
import { LoadingScreen } from '@/components/loading-screen';
import { TroubleBar } from '@/components/trouble-bar';
import { SessionProvider } from '@/features/auth/session-provider';
import { queryClient } from '@/lib/query-client';
import { useSession } from '@/lib/session';

/** What /auth and the signed-in screens stand on: the session and the cache of the API's answers. */
export default function AccountArea() {
  return (
    <QueryClientProvider client={queryClient}>
      <SessionProvider>
        <TroubleBar />
        <Outlet />
      </SessionProvider>
    </QueryClientProvider>
  );
}

/** Sends visitors without a session to /auth, once it is known that there is none (screens.md S-046). */
export function SignedInArea() {
  const { session } = useSession();
  if (session.status === 'loading') return <LoadingScreen />;
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
