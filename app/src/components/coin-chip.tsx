import { Link } from 'react-router';
import { useI18n } from '@/lib/i18n';
import { formatNumber } from '@/lib/money';

function Coin() {
  return (
    <span aria-hidden="true" className="block size-[18px] rounded-full border-2 border-coin-rim bg-coin" />
  );
}

/** The balance with a link to the prices. It is `...` while the balance loads. */
export function CoinChip({ coins }: { coins: number | undefined }) {
  const { t, tn } = useI18n();
  return (
    <Link
      to="/subscription"
      aria-label={coins === undefined ? t('common.loading') : tn('common.credits', coins)}
      className="inline-flex min-h-11 min-w-[72px] items-center justify-center gap-2 rounded-full bg-accent-soft px-3.5 font-semibold tabular-nums"
    >
      <Coin />
      <span>{coins === undefined ? '...' : formatNumber(coins)}</span>
    </Link>
  );
}
