import { lazy, Suspense, useState } from 'react';
import { Link } from 'react-router';
import { BuilderHeader } from '@/components/builder-header';
import { CoinChip } from '@/components/coin-chip';
import { LoadingScreen } from '@/components/loading-screen';
import { Button } from '@/components/ui/button';
import { TeachingAidsBuilder } from '@/features/teaching-aids/components/teaching-aids-builder';
import { useCoins, useWallet } from '@/features/wallet/use-wallet';
import { usePage } from '@/hooks/use-page';
import { useI18n } from '@/lib/i18n';
import { useSession, type SessionUser } from '@/lib/session';
import { generationCost } from '@/lib/generation-cost';

const InsufficientDialog = lazy(() => import('@/features/wallet/components/insufficient-dialog'));
const SignInDialog = lazy(() => import('@/features/auth/components/sign-in-dialog'));

/** Teaching aids; a visitor sees the form as well (screens.md S-047, decisions.md D28). */
export default function TeachingAidsRoute() {
  const { t } = useI18n();
  const { session } = useSession();
  usePage(t('tools.teachingAids'), 'private');
  if (session.status === 'loading') return <LoadingScreen />;
  return session.status === 'signed-in' ? (
    <SignedIn key={session.user.id} user={session.user} />
  ) : (
    <Visitor />
  );
}

function SignedIn({ user }: { user: SessionUser }) {
  const { t } = useI18n();
  const { signOut } = useSession();
  const coins = useCoins(user.id, 'other');
  const wallet = useWallet(user.id, 'server');
  const [tooFew, setTooFew] = useState<number | null>(null);
  return (
    <div className="pb-32 md:pb-16 print:p-0">
      <BuilderHeader title={t('tools.teachingAids')} onLogout={signOut}>
        <CoinChip coins={coins} />
      </BuilderHeader>
      <main className="page pt-2">
        <TeachingAidsBuilder
          user={user}
          wallet={wallet}
          cost={generationCost}
          onInsufficient={setTooFew}
          onSignedOut={signOut}
        />
      </main>
      <Suspense>
        {tooFew === null ? null : (
          <InsufficientDialog
            activity={t('tools.teachingAids')}
            coins={tooFew}
            onClose={() => {
              setTooFew(null);
            }}
          />
        )}
      </Suspense>
    </div>
  );
}

/** A visitor has nothing to pay with. */
const noWallet = {
  charge: () => Promise.resolve({ kind: 'insufficient', coins: 0 } as const),
  refresh: () => Promise.resolve(),
};

function Visitor() {
  const { t } = useI18n();
  const [asking, setAsking] = useState(false);
  return (
    <div className="pb-32 md:pb-16">
      <BuilderHeader title={t('tools.teachingAids')} back="/">
        <Button asChild>
          <Link to="/auth">{t('aids.signIn')}</Link>
        </Button>
      </BuilderHeader>
      <main className="page pt-2">
        <TeachingAidsBuilder
          user={null}
          wallet={noWallet}
          cost={generationCost}
          onInsufficient={() => undefined}
          onSignedOut={() => {
            setAsking(true);
          }}
        />
      </main>
      <Suspense>
        {asking ? (
          <SignInDialog
            onClose={() => {
              setAsking(false);
            }}
          />
        ) : null}
      </Suspense>
    </div>
  );
}
