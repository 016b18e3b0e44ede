import { NoticePage } from '@/components/notice-page';
import { Button } from '@/components/ui/button';
import { useI18n } from '@/lib/i18n';

export function UnexpectedErrorPage({ reason }: { reason: string }) {
  const { t } = useI18n();
  return (
    <NoticePage
      title={t('unexpected.title')}
      actions={
        <Button
          onClick={() => {
            window.location.reload();
          }}
        >
          {t('error.retry')}
        </Button>
      }
    >
      <p>{reason}</p>
    </NoticePage>
  );
}
