import { ContactCards } from '@/components/contact-cards';
import { PageTitle } from '@/components/page-title';
import { PublicPage } from '@/components/public-page';
import { aboutUsLead } from '@/features/about/about-us';
import { AboutUsArticle } from '@/features/about/components/about-us-article';

export default function AboutUsRoute() {
  return (
    <PublicPage title="About Us" description={aboutUsLead}>
      <PageTitle lead={aboutUsLead}>For the staff rooms of India</PageTitle>
      <AboutUsArticle />
      <ContactCards />
    </PublicPage>
  );
}
