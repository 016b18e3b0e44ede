import { ContactCards } from '@/components/contact-cards';
import { PageTitle } from '@/components/page-title';
import { PublicPage } from '@/components/public-page';
import { AboutUsArticle } from '@/features/about/components/about-us-article';
import { env } from '@/lib/env';
import { useI18n } from '@/lib/i18n';

export default function AboutUsRoute() {
  const { t, language } = useI18n();
  const lead = t('aboutUs.lead', { product: env.productName });
  return (
    <PublicPage language={language} title={t('aboutUs.title')} description={lead}>
      <PageTitle lead={lead}>{t('aboutUs.heading')}</PageTitle>
      <AboutUsArticle />
      <ContactCards />
    </PublicPage>
  );
}
