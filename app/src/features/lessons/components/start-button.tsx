import { ActionBar } from '@/builder/components/action-bar';
import { Button } from '@/components/ui/button';
import { useI18n, type MessageKey } from '@/lib/i18n';

interface StartButtonProps {
  missing: readonly MessageKey[];
  /** The checks of the form have not loaded. */
  loadFailed: boolean;
}

/** The button is off until no field is missing. */
export function StartButton({ missing, loadFailed }: StartButtonProps) {
  const { t } = useI18n();
  return (
    <>
      <p className="mb-3 text-muted-foreground">
        {missing.length > 0 ? `${t('lesson.startHint')} ` : null}
        {t('lesson.startPromise')}
      </p>
      <ActionBar missing={missing}>
        <Button
          type="submit"
          size="lg"
          disabled={missing.length > 0 || loadFailed}
          className="w-full md:w-auto"
        >
          {t('lesson.start')}
        </Button>
      </ActionBar>
    </>
  );
}
