import { Link } from 'react-router';
import { NoticePage } from '@/components/notice-page';
import { SupportLine } from '@/components/support-line';
import { Button } from '@/components/ui/button';
import { useHomePath } from '@/hooks/use-home-path';
import { useI18n } from '@/lib/i18n';

export function NotFoundPage() {
  const { t } = useI18n();
  const home = useHomePath();
  return (
    <NoticePage
      title={t('notFound.title')}
      actions={
        <Button asChild>
          <Link to={home}>{t('common.goHome')}</Link>
        </Button>
      }
      footer={<SupportLine />}
    >
      <p>{t('notFound.detail')}</p>
    </NoticePage>
  );
}
