import { Link } from 'react-router';
import { PageTitle } from '@/components/page-title';
import { PublicPage } from '@/components/public-page';
import { env } from '@/lib/env';
import { useI18n, type MessageKey } from '@/lib/i18n';

/** Labels and targets of SPECIFICATION.md S-101 and S-102. */
const pages: readonly { label: MessageKey; to: string; about: MessageKey }[] = [
  { label: 'public.home', to: '/', about: 'sitemap.homeDetail' },
  { label: 'sitemap.lessonPlans', to: '/public-lesson-plan', about: 'sitemap.lessonPlansDetail' },
  { label: 'sitemap.questionPapers', to: '/public-question-paper', about: 'sitemap.questionPapersDetail' },
  { label: 'bar.pricing', to: '/subscription', about: 'sitemap.pricingDetail' },
  { label: 'public.about', to: '/about-us', about: 'sitemap.aboutDetail' },
  { label: 'public.blogs', to: '/blogs', about: 'sitemap.blogsDetail' },
  { label: 'public.faqs', to: '/faqs', about: 'sitemap.faqsDetail' },
  { label: 'footer.terms', to: '/terms', about: 'sitemap.termsDetail' },
  { label: 'footer.privacy', to: '/privacy', about: 'sitemap.privacyDetail' },
];

export default function SitemapRoute() {
  const { t, language } = useI18n();
  return (
    <PublicPage
      language={language}
      title={t('sitemap.title')}
      description={t('sitemap.description', { product: env.productName })}
    >
      <PageTitle lead={t('sitemap.lead')}>{t('sitemap.title')}</PageTitle>
      <nav aria-label={t('sitemap.title')} className="page">
        <ol className="max-w-[40rem] divide-y divide-border border-y border-border">
          {pages.map(({ label, to, about }, index) => (
            <li key={to} className="flex items-baseline gap-4">
              <span aria-hidden="true" className="w-6 text-right text-muted-foreground tabular-nums">
                {index + 1}.
              </span>
              <Link to={to} className="group min-w-0 flex-1 rounded-control py-3">
                <span className="block text-lg font-bold group-hover:text-primary group-hover:underline">
                  {t(label)}
                </span>{' '}
                <span className="block text-muted-foreground">{t(about)}</span>
              </Link>
            </li>
          ))}
        </ol>
      </nav>
    </PublicPage>
  );
}
