import { useState } from 'react';
import { useI18n } from '@/lib/i18n';
import { Button } from './ui/button';

/**
 * Reads again what could not be read, and shows that until the answer. The screen around it stays.
 */
export function RetryButton({ onRetry }: { onRetry: () => Promise<unknown> }) {
  const { t } = useI18n();
  const [isBusy, setIsBusy] = useState(false);

  async function retry() {
    if (isBusy) return;
    setIsBusy(true);
    await onRetry();
    setIsBusy(false);
  }

  return (
    <Button variant="outline" className="mt-4" aria-disabled={isBusy} onClick={retry}>
      {t(isBusy ? 'common.loading' : 'error.retry')}
    </Button>
  );
}
