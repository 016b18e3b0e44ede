import { useOnline } from '@/hooks/use-online';
import { useI18n } from '@/lib/i18n';

/** A thin bar while the device has no network; forms stay usable. */
export function OfflineBar() {
  const { t } = useI18n();
  const online = useOnline();
  return (
    <div role="status" className="fixed inset-x-0 top-0 z-30 flex justify-center">
      {online ? null : (
        <p className="w-full bg-accent px-4 py-1 text-center text-sm font-semibold text-accent-foreground">
          {t('common.offline')}
        </p>
      )}
    </div>
  );
}
