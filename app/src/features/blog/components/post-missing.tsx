import { Link } from 'react-router';
import { Button } from '@/components/ui/button';
import { useI18n } from '@/lib/i18n';

/** Also shown for a post that could not be loaded (SPECIFICATION.md S-128 to S-130). */
export function PostMissing() {
  const { t } = useI18n();
  return (
    <div className="page py-8 lg:py-14">
      <div className="ruled relative mx-auto max-w-xl rounded-paper border border-border bg-card shadow-card">
        <span aria-hidden="true" className="absolute inset-y-0 left-9 w-0.5 bg-margin sm:left-14" />
        {/* Text stands on the ruled lines, so every height here is a multiple of 32 px. */}
        <div className="pt-[66px] pr-6 pb-[30px] pl-14 sm:pr-10 sm:pl-20">
          <h1 className="heading-condensed text-[1.6875rem] leading-8">{t('blog.missing')}</h1>
          <p className="text-lg leading-8 text-muted-foreground">{t('blog.missingDetail')}</p>
          <Button asChild className="mt-8 mb-[18px]">
            <Link to="/blogs">{t('blog.back')}</Link>
          </Button>
        </div>
      </div>
    </div>
  );
}

/** The small spinner of a post that is loading (SPECIFICATION.md D27). */
export function PostLoading() {
  const { t } = useI18n();
  return (
    <p role="status" className="page flex min-h-64 items-center justify-center gap-3 text-muted-foreground">
      <span
        aria-hidden="true"
        className="size-6 animate-spin rounded-full border-[3px] border-border border-t-primary"
      />
      {t('common.loading')}
    </p>
  );
}
