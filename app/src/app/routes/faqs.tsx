import { PageTitle } from '@/components/page-title';
import { PublicPage } from '@/components/public-page';
import { SupportLine } from '@/components/support-line';
import { FaqList } from '@/features/faqs/components/faq-list';
import { questions } from '@/features/faqs/questions';
import { env } from '@/lib/env';

export default function FaqsRoute() {
  return (
    <PublicPage
      title="Frequently asked questions"
      description={`What ${env.productName} makes, for which boards and classes, what it costs, how to pay and how your data is kept.`}
    >
      <PageTitle lead="Ten questions that teachers ask before they begin.">
        Frequently asked questions
      </PageTitle>
      <div className="page">
        <div className="max-w-[52rem]">
          <FaqList questions={questions} />
          <SupportLine />
        </div>
      </div>
    </PublicPage>
  );
}
