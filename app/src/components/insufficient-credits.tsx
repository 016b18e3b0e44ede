import { useI18n } from '@/lib/i18n';
import { formatNumber } from '@/lib/money';
import { cn } from '@/lib/utils';
import { DialogDescription, DialogTitle } from './ui/dialog';

interface InsufficientCreditsProps {
  activity: string;
  cost: number;
  /** The balance that was too low. */
  coins: number;
}

/** The price of the activity and the balance (SPECIFICATION.md S-190, S-278). */
export function InsufficientCredits({ activity, cost, coins }: InsufficientCreditsProps) {
  const { t } = useI18n();
  return (
    <>
      <DialogTitle>{t('insufficient.title')}</DialogTitle>
      <DialogDescription>{t('insufficient.detail')}</DialogDescription>
      <dl className="mt-5 divide-y divide-border border-y border-border">
        <Row term={t('insufficient.activity')} value={activity} />
        <Row term={t('insufficient.required')} value={formatNumber(cost)} />
        <Row term={t('insufficient.current')} value={formatNumber(coins)} alarming />
      </dl>
    </>
  );
}

function Row({ term, value, alarming = false }: { term: string; value: string; alarming?: boolean }) {
  return (
    <div className="flex items-baseline justify-between gap-4 py-3">
      <dt className="text-muted-foreground">{term}</dt>
      <dd className={cn('text-right font-bold tabular-nums', alarming && 'text-xl text-destructive')}>
        {value}
      </dd>
    </div>
  );
}
