import { Link } from 'react-router';
import { NoticePage } from '@/components/notice-page';
import { Button } from '@/components/ui/button';
import { useI18n } from '@/lib/i18n';

/** Addresses that screens already link to. This file goes when the last of them has its own route. */
export const beingBuiltSignedIn = ['/teaching-aids', '/communication-tool'] as const;

export function BeingBuiltPage({ home }: { home: '/' | '/home' }) {
  const { t } = useI18n();
  return (
    <NoticePage
      title={t('beingBuilt.title')}
      actions={
        <Button asChild>
          <Link to={home}>{t('beingBuilt.back')}</Link>
        </Button>
      }
    >
      <p>{t('beingBuilt.detail')}</p>
    </NoticePage>
  );
}
