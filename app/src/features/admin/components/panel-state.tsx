import { RetryButton } from '@/components/retry-button';
import { Card } from '@/components/ui/card';
import { Skeleton } from '@/components/ui/skeleton';
import { useI18n } from '@/lib/i18n';

/** Replaces a list while it loads. */
export function ListLoading() {
  const { t } = useI18n();
  return (
    <Card className="p-5">
      <p role="status" className="text-sm text-muted-foreground">
        {t('common.loading')}
      </p>
      {[1, 2, 3, 4].map((row) => (
        <Skeleton key={row} className="mt-3 h-10" />
      ))}
    </Card>
  );
}

/** Replaces a list that could not be read. */
export function ListFailed({ onRetry }: { onRetry: () => Promise<unknown> }) {
  const { t } = useI18n();
  return (
    <Card className="p-5">
      <p className="text-lg font-bold">{t('admin.loadFailed')}</p>
      <p className="mt-1 text-muted-foreground">{t('admin.loadFailedDetail')}</p>
      <RetryButton onRetry={onRetry} />
    </Card>
  );
}

/** A ruled sheet with one sentence. */
export function ListEmpty({ children }: { children: string }) {
  return (
    <div className="ruled rounded-paper border border-border bg-card px-6 pt-[34px] pb-[62px] leading-8 text-muted-foreground shadow-card">
      {children}
    </div>
  );
}
