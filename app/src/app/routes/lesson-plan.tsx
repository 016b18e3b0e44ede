import { ArrowLeft } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Link } from 'react-router';
import { CoinChip } from '@/components/coin-chip';
import { Button } from '@/components/ui/button';
import { LessonPlanBuilder } from '@/features/lessons/components/lesson-plan-builder';
import { useCoins, useWallet } from '@/features/wallet/use-wallet';
import { usePage } from '@/hooks/use-page';
import { useI18n } from '@/lib/i18n';
import { useUser } from '@/lib/session';
import { generationCost } from '@/lib/tools';

const InsufficientDialog = lazy(() => import('@/features/wallet/components/insufficient-dialog'));

export default function LessonPlanRoute() {
  const { t } = useI18n();
  const user = useUser();
  const coins = useCoins(user.id, 'other');
  const wallet = useWallet(user.id);
  const [tooFew, setTooFew] = useState<number | null>(null);
  usePage(t('tools.lessonPlan'), 'private');

  return (
    <div className="pb-32 md:pb-16">
      <header className="page flex items-center justify-between gap-3 py-2.5">
        <div className="flex min-w-0 items-center gap-1">
          <Button asChild variant="ghost" size="icon" className="-ml-3">
            <Link to="/home" aria-label={t('common.backHome')}>
              <ArrowLeft aria-hidden="true" />
            </Link>
          </Button>
          <h1 className="text-xl leading-tight font-bold">{t('tools.lessonPlan')}</h1>
        </div>
        <CoinChip coins={coins} />
      </header>
      <main className="page pt-2">
        <LessonPlanBuilder user={user} wallet={wallet} cost={generationCost} onInsufficient={setTooFew} />
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
