import { ActionBar } from '@/builder/components/action-bar';
import { Button } from '@/components/ui/button';
import { useI18n } from '@/lib/i18n';

export function StartButton({ disabled }: { disabled: boolean }) {
  const { t } = useI18n();
  return (
    <>
      <p className="mb-3 text-muted-foreground">{t('lesson.startHint')}</p>
      <ActionBar>
        <Button type="submit" size="lg" disabled={disabled} className="w-full md:w-auto">
          {t('lesson.start')}
        </Button>
      </ActionBar>
    </>
  );
}
