import { PageTitle } from '@/components/page-title';
import { PublicPage } from '@/components/public-page';
import { EnglishPrevails } from '@/features/legal/components/english-prevails';
import { LastUpdated } from '@/features/legal/components/last-updated';
import { NumberedSections } from '@/features/legal/components/numbered-sections';
import { privacy } from '@/features/legal/privacy';
import { env } from '@/lib/env';

export default function PrivacyRoute() {
  return (
    <PublicPage
      title="Privacy Policy"
      description={`What ${env.productName} keeps about you, what for, who sees it and how it is deleted. No data is sold.`}
    >
      <PageTitle lead="What we keep, what for, and how to have it removed.">Privacy Policy</PageTitle>
      <div className="page pb-6">
        <LastUpdated />
      </div>
      <EnglishPrevails />
      <NumberedSections sections={privacy} />
    </PublicPage>
  );
}
