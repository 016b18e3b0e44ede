import { t } from '@/lib/i18n';
import { formatNumber } from '@/lib/money';
import { toast } from '@/lib/toast';
import type { CreditsResult } from './api/change-user';

/** Shows what became of added credits (SPECIFICATION.md S-329 to S-331). */
export function showCreditsResult(result: CreditsResult, email: string, credits: number): void {
  switch (result.kind) {
    case 'notified':
      toast.success({
        title: t('admin.creditsAdded', { credits: formatNumber(credits), email }),
        description: t('admin.notified'),
      });
      break;
    case 'not-notified':
      toast.plain({
        title: t('admin.creditsAdded', { credits: formatNumber(credits), email }),
        description: [t('admin.notNotified'), result.reason].filter(Boolean).join(' '),
      });
      break;
    case 'repeated':
      toast.plain({
        title: t('admin.creditsRepeated', { credits: formatNumber(credits), email }),
        description: t('admin.creditsRepeatedDetail'),
      });
      break;
    case 'unknown':
      toast.error({
        title: t('admin.creditsUnknown'),
        description: t('admin.creditsUnknownDetail', { email }),
      });
  }
}
