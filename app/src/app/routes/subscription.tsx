import { useState, type ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { BottomBar } from '@/components/bottom-bar';
import { Brand } from '@/components/brand';
import { CoinChip } from '@/components/coin-chip';
import { lazyDialog } from '@/components/lazy-dialog';
import { LoadingScreen } from '@/components/loading-screen';
import { PageTitle } from '@/components/page-title';
import { PublicPage } from '@/components/public-page';
import { PlanCards } from '@/features/payments/components/plan-cards';
import { PricingFacts } from '@/features/payments/components/pricing-facts';
import { WaitingPayments } from '@/features/payments/components/waiting-payments';
import type { Purchase } from '@/features/payments/plans';
import { useBalanceUpdates } from '@/features/wallet/api/use-balance';
import { useCoins } from '@/features/wallet/use-wallet';
import { usePageHead } from '@/hooks/use-page-head';
import { env } from '@/lib/env';
import { useI18n } from '@/lib/i18n';
import { isSessionPending, useSession, type SessionUser } from '@/lib/session';
import { toast } from '@/lib/toast';
import { generationCost } from '@/lib/generation-cost';

const PlanPayment = lazyDialog(() => import('@/features/payments/components/plan-payment'));

/**
 * The prices. Visitors may read them, because the public sitemap leads here and the page has a
 * message for visitors who want to buy (SPECIFICATION.md S-101, S-291).
 */
export default function SubscriptionRoute() {
  const { session } = useSession();
  if (isSessionPending(session)) return <LoadingScreen />;
  return session.status === 'signed-in' ? <SignedIn user={session.user} /> : <Visitor />;
}

function Visitor() {
  const { t } = useI18n();
  return (
    <PublicPage
      title={t('bar.pricing')}
      description={`${t('plans.lead', { cost: generationCost })} ${t('plans.description')}`}
    >
      <Prices
        onBuy={() => {
          toast.error({
            title: t('plans.signedOut'),
            description: t('plans.signedOutDetail'),
          });
        }}
      />
    </PublicPage>
  );
}

function SignedIn({ user }: { user: SessionUser }) {
  const { t } = useI18n();
  const coins = useCoins(user.id, 'other');
  const { refresh } = useBalanceUpdates(user.id);
  const [purchase, setPurchase] = useState<Purchase | null>(null);
  const paying = env.upiPayeeAddress === '' ? null : purchase;
  usePageHead(t('bar.pricing'), 'private');
  return (
    <div className="pb-24">
      <header className="page flex items-center justify-between gap-2 py-2.5">
        <Brand to="/home" />
        <CoinChip coins={coins} />
      </header>
      <main>
        <Prices onBuy={setPurchase}>
          <WaitingPayments userId={user.id} behindDialog={paying !== null} onSettled={refresh} />
        </Prices>
      </main>
      <BottomBar />
      {paying ? (
        <PlanPayment
          userId={user.id}
          purchase={paying}
          onClose={() => {
            setPurchase(null);
          }}
        />
      ) : null}
    </div>
  );
}

interface PricesProps {
  onBuy: (purchase: Purchase) => void;
  /** What a teacher sees above the prices. */
  children?: ReactNode;
}

function Prices({ onBuy, children }: PricesProps) {
  const { t } = useI18n();
  const [params] = useSearchParams();
  return (
    <>
      <PageTitle lead={t('plans.lead', { cost: generationCost })}>{t('bar.pricing')}</PageTitle>
      <div className="page grid gap-10">
        {children}
        <PlanCards highlight={params.get('highlight')} onBuy={onBuy} />
        <PricingFacts />
      </div>
    </>
  );
}
