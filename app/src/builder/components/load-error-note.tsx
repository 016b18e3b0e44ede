import { CloudOff } from 'lucide-react';
import { Button } from '@/components/ui/button';
import { useI18n } from '@/lib/i18n';

/** Says that a chunk failed to load and offers a reload. The draft is stored on the device. */
export function LoadErrorNote() {
  const { t } = useI18n();
  return (
    <div className="mb-4 rounded-control bg-accent-soft px-4 py-3">
      <p className="flex gap-2.5">
        <CloudOff aria-hidden="true" className="mt-0.5 size-5 shrink-0" />
        <span className="min-w-0">{t('generation.loadFailed')}</span>
      </p>
      <Button
        variant="outline"
        className="mt-2.5"
        onClick={() => {
          window.location.reload();
        }}
      >
        {t('generation.reload')}
      </Button>
    </div>
  );
}
