import { NoticePage } from '@/components/notice-page';
import { SupportLine } from '@/components/support-line';
import { Button } from '@/components/ui/button';
import { useI18n } from '@/lib/i18n';

export function NetworkErrorPage() {
  const { t } = useI18n();
  return (
    <NoticePage
      title={t('network.title')}
      actions={
        <>
          <Button
            onClick={() => {
              window.location.reload();
            }}
          >
            {t('network.retry')}
          </Button>
          <Button asChild variant="outline">
            <a href="/">{t('common.goHome')}</a>
          </Button>
        </>
      }
      footer={<SupportLine />}
    >
      <p>{t('network.detail')}</p>
    </NoticePage>
  );
}
