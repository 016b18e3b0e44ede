import { Card } from '@/components/ui/card';
import { useI18n } from '@/lib/i18n';
import { formatNumber } from '@/lib/money';
import type { Stats } from '../admin-user';

/** Total Users, Total Credits, Average Credits (SPECIFICATION.md S-323). */
export function StatsCards({ stats }: { stats: Stats | undefined }) {
  const { t } = useI18n();
  const cards = [
    [t('admin.totalUsers'), stats?.users],
    [t('admin.totalCredits'), stats?.credits],
    [t('admin.averageCredits'), stats?.average],
  ] as const;
  return (
    <dl className="grid grid-cols-3 gap-3">
      {cards.map(([label, value]) => (
        <Card key={label} className="flex flex-col-reverse justify-end p-3.5 sm:p-5">
          <dt className="text-sm leading-tight text-muted-foreground">{label}</dt>
          <dd className="text-xl leading-tight font-heavy tabular-nums sm:text-[2rem]">
            {value === undefined ? '...' : formatNumber(value)}
          </dd>
        </Card>
      ))}
    </dl>
  );
}
