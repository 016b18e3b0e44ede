import { useSearchParams } from 'react-router';
import { BottomBar } from '@/components/bottom-bar';
import { lazyDialog } from '@/components/lazy-dialog';
import { useIsAdmin } from '@/features/auth/api/is-admin';
import { ComingSoon } from '@/features/home/components/coming-soon';
import { HomeHeader } from '@/features/home/components/home-header';
import { TipsCard } from '@/features/home/components/tips-card';
import { ToolTiles } from '@/features/home/components/tool-tiles';
import { WhatsappButton } from '@/features/home/components/whatsapp-button';
import { WaitingPayments } from '@/features/payments/components/waiting-payments';
import { useBalanceUpdates } from '@/features/wallet/api/use-balance';
import { WalletCard } from '@/features/wallet/components/wallet-card';
import { useCoins } from '@/features/wallet/use-wallet';
import { usePageHead } from '@/hooks/use-page-head';
import { formatDay } from '@/lib/dates';
import { env } from '@/lib/env';
import { useI18n } from '@/lib/i18n';
import { useSession, useUser } from '@/lib/session';

const BuyCredits = lazyDialog(() => import('@/features/payments/components/buy-credits'));

export default function HomeRoute() {
  const { t } = useI18n();
  const user = useUser();
  const { signOut } = useSession();
  const coins = useCoins(user.id, 'home');
  const { refresh } = useBalanceUpdates(user.id);
  const isAdmin = useIsAdmin(user.id);
  const [params, setParams] = useSearchParams();
  usePageHead(t('home.title'), 'private');

  const canBuy = env.upiPayeeAddress !== '';
  const buying = canBuy && params.get('buy') === 'credits';
  function showBuying(open: boolean) {
    setParams(open ? { buy: 'credits' } : {}, { replace: true });
  }

  return (
    <div className="pb-24">
      <HomeHeader coins={coins} isAdmin={isAdmin} onLogout={signOut} />
      <main className="page grid gap-x-7 gap-y-4 lg:grid-cols-[minmax(0,1fr)_320px] lg:grid-rows-[auto_auto_1fr]">
        <div className="pt-4 lg:col-span-2">
          <p className="text-muted-foreground">
            {formatDay(new Date(), t('home.weekdays'), t('home.months'))}
          </p>
          <h1 className="heading-condensed text-title">{t('home.greeting')}</h1>
        </div>
        <div className="grid content-start gap-3 lg:col-start-2 lg:row-start-2">
          <WalletCard
            coins={coins}
            onBuy={
              canBuy
                ? () => {
                    showBuying(true);
                  }
                : undefined
            }
          />
          <WaitingPayments userId={user.id} behindDialog={buying} onSettled={refresh} />
        </div>
        <div className="grid content-start gap-7 lg:col-start-1 lg:row-span-2 lg:row-start-2">
          <ToolTiles isAdmin={isAdmin} />
          <ComingSoon />
        </div>
        <div className="grid content-start gap-4 pt-3 lg:col-start-2 lg:row-start-3 lg:pt-0">
          <TipsCard />
          <WhatsappButton />
        </div>
      </main>
      <BottomBar />
      {buying ? (
        <BuyCredits
          userId={user.id}
          onClose={() => {
            showBuying(false);
          }}
        />
      ) : null}
    </div>
  );
}
