import { useLocation } from 'react-router';
import { NoticePage } from '@/components/notice-page';
import { SupportLine } from '@/components/support-line';
import { Button } from '@/components/ui/button';
import { useHomePath } from '@/hooks/use-home-path';
import { useI18n } from '@/lib/i18n';

const kinds = {
  error: { title: 'error.title', detail: 'error.detail', retry: 'error.retry' },
  network: { title: 'network.title', detail: 'network.detail', retry: 'network.retry' },
  chunk: { title: 'error.title', detail: 'chunk.detail', retry: 'chunk.retry' },
  unexpected: { title: 'unexpected.title', detail: 'error.detail', retry: 'error.retry' },
} as const;

interface ProblemPageProps {
  /**
   * What went wrong: an error, no network, a crash (SPECIFICATION.md S-104, S-106, S-050), or a
   * chunk that failed to load.
   */
  kind: keyof typeof kinds;
  /** What is known about the error, in place of the general sentence. */
  reason?: string;
}

/**
 * Says what went wrong and offers a retry and a way out. Both reload the page. If /home itself
 * fails, the way out is the landing page.
 */
export function ProblemPage({ kind, reason = '' }: ProblemPageProps) {
  const { t } = useI18n();
  const home = useHomePath();
  const { pathname } = useLocation();
  const { title, detail, retry } = kinds[kind];
  return (
    <NoticePage
      title={t(title)}
      actions={
        <>
          <Button
            onClick={() => {
              window.location.reload();
            }}
          >
            {t(retry)}
          </Button>
          <Button asChild variant="outline" className="bg-background">
            <a href={pathname === home ? '/' : home}>{t('common.goHome')}</a>
          </Button>
        </>
      }
      footer={<SupportLine />}
    >
      <p className="[overflow-wrap:anywhere]">{reason === '' ? t(detail) : reason}</p>
    </NoticePage>
  );
}
