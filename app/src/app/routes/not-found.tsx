import { Link } from 'react-router';
import { NoticePage } from '@/components/notice-page';
import { SupportLine } from '@/components/support-line';
import { Button } from '@/components/ui/button';
import { useI18n } from '@/lib/i18n';

export function NotFoundPage() {
  const { t } = useI18n();
  return (
    <NoticePage
      title={t('notFound.title')}
      actions={
        <Button asChild>
          <Link to="/">{t('common.goHome')}</Link>
        </Button>
      }
      footer={<SupportLine />}
    >
      <p>{t('notFound.detail')}</p>
    </NoticePage>
  );
}
