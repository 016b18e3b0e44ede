import { useI18n } from '@/lib/i18n';
import { Skeleton } from './ui/skeleton';

/**
 * The outline of a screen while it loads, with a text for screen readers (SPECIFICATION.md D27).
 */
export function LoadingScreen({ redirecting = false }: { redirecting?: boolean }) {
  const { t } = useI18n();
  return (
    <main className="page py-6">
      <p role="status" className="text-sm text-muted-foreground">
        {redirecting ? t('common.redirecting') : t('common.loading')}
      </p>
      <Skeleton className="mt-10 h-9 w-64 max-w-full" />
      <Skeleton className="mt-6 h-24 rounded-card" />
      <div className="mt-4 grid grid-cols-2 gap-3">
        <Skeleton className="h-36 rounded-card" />
        <Skeleton className="h-36 rounded-card" />
      </div>
    </main>
  );
}
