import { lazy, Suspense, useState } from 'react';
import { BuilderHeader } from '@/components/builder-header';
import { CoinChip } from '@/components/coin-chip';
import { LessonPlanBuilder } from '@/features/lessons/components/lesson-plan-builder';
import { useCoins, useWallet } from '@/features/wallet/use-wallet';
import { usePage } from '@/hooks/use-page';
import { useI18n } from '@/lib/i18n';
import { useSession, useUser } from '@/lib/session';
import { generationCost } from '@/lib/generation-cost';

const InsufficientDialog = lazy(() => import('@/features/wallet/components/insufficient-dialog'));

export default function LessonPlanRoute() {
  const { t } = useI18n();
  const user = useUser();
  const { signOut } = useSession();
  const coins = useCoins(user.id, 'other');
  const wallet = useWallet(user.id, 'client');
  const [tooFew, setTooFew] = useState<number | null>(null);
  usePage(t('tools.lessonPlan'), 'private');

  return (
    <div className="pb-32 md:pb-16 print:p-0">
      <BuilderHeader title={t('tools.lessonPlan')}>
        <CoinChip coins={coins} />
      </BuilderHeader>
      <main className="page pt-2">
        <LessonPlanBuilder
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
            activity={t('tools.lessonPlan')}
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
