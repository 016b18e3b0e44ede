import { PageTitle } from '@/components/page-title';
import { PublicPage } from '@/components/public-page';
import { aboutLead } from '@/features/about/about';
import { AboutArticle } from '@/features/about/components/about-article';
import { env } from '@/lib/env';

export default function AboutRoute() {
  return (
    <PublicPage
      title="About"
      description={`${aboutLead} What it prepares, what it costs and how credits work.`}
    >
      <PageTitle lead={aboutLead}>About {env.productName}</PageTitle>
      <AboutArticle />
    </PublicPage>
  );
}
