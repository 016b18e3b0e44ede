import { PageTitle } from '@/components/page-title';
import { PublicPage } from '@/components/public-page';
import { SupportLine } from '@/components/support-line';
import { FaqList } from '@/features/faqs/components/faq-list';
import { questions } from '@/features/faqs/questions';
import { env } from '@/lib/env';
import { useI18n } from '@/lib/i18n';

export default function FaqsRoute() {
  const { t, language } = useI18n();
  return (
    <PublicPage
      language={language}
      title={t('faq.title')}
      description={t('faq.description', { product: env.productName })}
    >
      <PageTitle lead={t('faq.lead')}>{t('faq.title')}</PageTitle>
      <div className="page">
        <div className="max-w-[52rem]">
          <FaqList questions={questions} />
          <SupportLine />
        </div>
      </div>
    </PublicPage>
  );
}
