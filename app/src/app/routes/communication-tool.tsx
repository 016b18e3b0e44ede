import { lazy, Suspense, useState } from 'react';
import { BuilderHeader } from '@/components/builder-header';
import { CoinChip } from '@/components/coin-chip';
import { CommunicationBuilder } from '@/features/communications/components/communication-builder';
import { useCoins, useWallet } from '@/features/wallet/use-wallet';
import { useGoBack } from '@/hooks/use-go-back';
import { usePage } from '@/hooks/use-page';
import { env } from '@/lib/env';
import { useI18n } from '@/lib/i18n';
import { useSession, useUser } from '@/lib/session';
import { generationCost } from '@/lib/generation-cost';

const BuyPack = lazy(() => import('@/features/payments/components/buy-pack'));
const InsufficientDialog = lazy(() => import('@/features/wallet/components/insufficient-dialog'));

export default function CommunicationToolRoute() {
  const { t } = useI18n();
  const user = useUser();
  const { signOut } = useSession();
  const coins = useCoins(user.id, 'other');
  const wallet = useWallet(user.id, 'function');
  const goBack = useGoBack('/home');
  const [tooFew, setTooFew] = useState<number | null>(null);
  usePage(t('tools.communication'), 'private');

  const dialog = {
    activity: t('tools.communication'),
    coins: tooFew ?? 0,
    onClose: () => {
      setTooFew(null);
    },
  };
  return (
    <div className="pb-32 md:pb-16 print:p-0">
      <BuilderHeader title={t('tools.communication')} onBack={goBack} onLogout={signOut}>
        <CoinChip coins={coins} />
      </BuilderHeader>
      <main className="page pt-2">
        <CommunicationBuilder
          user={user}
          wallet={wallet}
          cost={generationCost}
          onInsufficient={setTooFew}
          onSignedOut={signOut}
        />
      </main>
      <Suspense>
        {tooFew !== null && env.upiPayeeAddress ? <BuyPack {...dialog} cost={generationCost} /> : null}
        {tooFew !== null && !env.upiPayeeAddress ? <InsufficientDialog {...dialog} /> : null}
      </Suspense>
    </div>
  );
}
