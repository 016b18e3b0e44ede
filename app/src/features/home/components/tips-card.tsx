import { Lightbulb } from 'lucide-react';
import { Card } from '@/components/ui/card';
import { useI18n, type MessageKey } from '@/lib/i18n';

const tips: readonly MessageKey[] = [
  'tips.cost',
  'tips.pack',
  'tips.sample',
  'tips.limits',
  'tips.detail',
  'tips.edit',
  'tips.free',
];

export function TipsCard() {
  const { t } = useI18n();
  return (
    <Card className="p-5">
      <h2 className="flex items-center gap-2.5 text-lg font-bold">
        <Lightbulb aria-hidden="true" className="size-[22px]" strokeWidth={1.8} />
        {t('tips.title')}
      </h2>
      <ul className="mt-2 list-disc space-y-1.5 pl-5 text-[0.9375rem] text-muted-foreground">
        {tips.map((tip) => (
          <li key={tip}>{t(tip)}</li>
        ))}
      </ul>
    </Card>
  );
}
