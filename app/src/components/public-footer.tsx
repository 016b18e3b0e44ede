import { Link } from 'react-router';
import { env } from '@/lib/env';
import { useI18n, type MessageKey } from '@/lib/i18n';
import { LanguageChoice } from './language-choice';

const links: readonly { to: string; label: MessageKey }[] = [
  { to: '/about', label: 'footer.about' },
  { to: '/subscription', label: 'bar.pricing' },
  { to: '/terms', label: 'footer.terms' },
  { to: '/privacy', label: 'footer.privacy' },
  { to: '/sitemap', label: 'footer.sitemap' },
];

const linkClasses =
  'inline-flex min-h-11 items-center rounded-control hover:text-foreground hover:underline underline-offset-4';

/** The links at the end of a public page. */
export function PublicFooter() {
  const { t } = useI18n();
  return (
    <footer className="mt-12 border-t border-border print:hidden">
      <div className="page flex flex-wrap items-center justify-between gap-x-8 gap-y-1 py-6 text-sm text-muted-foreground">
        <div className="flex flex-wrap items-center gap-x-5">
          <p>{t('footer.line', { product: env.productName })}</p>
          {env.supportEmail ? (
            <a href={`mailto:${env.supportEmail}`} className={linkClasses}>
              {env.supportEmail}
            </a>
          ) : null}
        </div>
        <LanguageChoice />
        <nav aria-label={t('footer.label')}>
          <ul className="flex flex-wrap gap-x-5">
            {links.map(({ to, label }) => (
              <li key={to}>
                <Link to={to} className={linkClasses}>
                  {t(label)}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
      </div>
    </footer>
  );
}
