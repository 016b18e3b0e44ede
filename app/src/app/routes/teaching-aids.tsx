import { useState } from 'react';
import { Link } from 'react-router';
import { lazyDialog } from '@/components/lazy-dialog';
import { LoadingScreen } from '@/components/loading-screen';
import { Button } from '@/components/ui/button';
import { TeachingAidsBuilder } from '@/features/teaching-aids/components/teaching-aids-builder';
import { usePageHead } from '@/hooks/use-page-head';
import { useI18n } from '@/lib/i18n';
import { isSessionPending, useSession } from '@/lib/session';
import { generationCost } from '@/lib/generation-cost';
import { BuilderFrame, BuilderScreen } from '../builder-screen';
import { renderInsufficientDialog } from '../insufficient-dialog';

const SignInDialog = lazyDialog(() => import('@/features/auth/components/sign-in-dialog'));

/** Teaching aids. A visitor sees the form as well (SPECIFICATION.md S-047, D28). */
export default function TeachingAidsRoute() {
  const { t } = useI18n();
  const { session } = useSession();
  usePageHead(t('tools.teachingAids'), 'private');
  if (isSessionPending(session)) return <LoadingScreen />;
  return session.status === 'signed-in' ? <SignedIn key={session.user.id} /> : <Visitor />;
}

function SignedIn() {
  const { t } = useI18n();
  return (
    <BuilderScreen
      title={t('tools.teachingAids')}
      policy="server"
      renderInsufficient={renderInsufficientDialog}
      logout
      builder={(props) => <TeachingAidsBuilder {...props} />}
    />
  );
}

/** The wallet of a visitor, who cannot pay. */
const noWallet = {
  charge: () => Promise.resolve({ kind: 'insufficient', coins: 0 } as const),
  refresh: () => Promise.resolve(),
};

function Visitor() {
  const { t } = useI18n();
  const [asking, setAsking] = useState(false);
  return (
    <>
      <BuilderFrame
        title={t('tools.teachingAids')}
        back="/"
        main={
          <TeachingAidsBuilder
            user={null}
            wallet={noWallet}
            cost={generationCost}
            onInsufficient={() => undefined}
            onSignedOut={() => {
              setAsking(true);
            }}
          />
        }
      >
        <Button asChild className="px-3 whitespace-nowrap sm:px-4">
          <Link to="/auth">{t('aids.signIn')}</Link>
        </Button>
      </BuilderFrame>
      {asking ? (
        <SignInDialog
          onClose={() => {
            setAsking(false);
          }}
        />
      ) : null}
    </>
  );
}
