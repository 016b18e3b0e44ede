import { PageTitle } from '@/components/page-title';
import { PublicPage } from '@/components/public-page';
import { AboutArticle } from '@/features/about/components/about-article';
import { env } from '@/lib/env';
import { useI18n } from '@/lib/i18n';

export default function AboutRoute() {
  const { t, language } = useI18n();
  const product = env.productName;
  return (
    <PublicPage
      language={language}
      title={t('about.title')}
      description={t('about.description', { product })}
    >
      <PageTitle lead={t('about.lead', { product })}>{t('about.heading', { product })}</PageTitle>
      <AboutArticle />
    </PublicPage>
  );
}
