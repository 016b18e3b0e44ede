import { PageTitle } from '@/components/page-title';
import { PublicPage } from '@/components/public-page';
import { AcceptTerms } from '@/features/legal/components/accept-terms';
import { EnglishPrevails } from '@/features/legal/components/english-prevails';
import { NumberedSections } from '@/features/legal/components/numbered-sections';
import { terms } from '@/features/legal/terms';
import { env } from '@/lib/env';

export default function TermsRoute() {
  return (
    <PublicPage
      title="Terms & Conditions"
      description={`What you and ${env.productName} agree on: account, credits, payment, your content, fair use and how it ends.`}
    >
      <PageTitle lead="Ten sections, in plain words.">Terms &amp; Conditions</PageTitle>
      <EnglishPrevails />
      <NumberedSections sections={terms} />
      <AcceptTerms />
    </PublicPage>
  );
}
