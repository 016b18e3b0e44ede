import { Button } from '@/components/ui/button';
import { Skeleton } from '@/components/ui/skeleton';
import { useI18n } from '@/lib/i18n';
import { formatNumber } from '@/lib/money';
import { generationCost } from '@/lib/generation-cost';

interface WalletCardProps {
  coins: number | undefined;
  /** Absent if no payee is configured. Then nothing can be bought. */
  onBuy: (() => void) | undefined;
}

/** The balance in large digits, and the button to buy more. */
export function WalletCard({ coins, onBuy }: WalletCardProps) {
  const { t, tn } = useI18n();
  const documents = coins && Math.floor(coins / generationCost);
  return (
    <section
      aria-label={t('wallet.yours')}
      className="flex items-center justify-between gap-4 rounded-card border border-wallet bg-wallet p-[18px] text-wallet-foreground shadow-card lg:block lg:p-5 dark:border-border"
    >
      <div>
        <p className="text-wallet-muted">{t('wallet.yours')}</p>
        {coins === undefined ? (
          <Skeleton className="mt-1 h-10 w-16 opacity-30" />
        ) : (
          <p className="text-[2.5rem] leading-none font-heavy tabular-nums lg:text-[3.25rem]">
            {formatNumber(coins)}
          </p>
        )}
        <p className="mt-1 hidden min-h-6 text-sm text-wallet-muted lg:block">
          {documents ? tn('wallet.enough', documents) : null}
        </p>
      </div>
      {onBuy ? (
        <Button variant="accent" className="lg:mt-4 lg:w-full" onClick={onBuy}>
          {t('wallet.buy')}
        </Button>
      ) : null}
    </section>
  );
}
