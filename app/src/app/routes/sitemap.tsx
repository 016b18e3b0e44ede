import { Link } from 'react-router';
import { PageTitle } from '@/components/page-title';
import { PublicPage } from '@/components/public-page';
import { env } from '@/lib/env';

/** Labels and targets of screens.md S-101 and S-102. */
const pages = [
  { label: 'Home', to: '/', about: 'The four tools, and what teachers do with them' },
  { label: 'Lesson Plans', to: '/public-lesson-plan', about: 'The form for a plan of 1 to 5 periods' },
  {
    label: 'Question Papers',
    to: '/public-question-paper',
    about: 'The form for a paper of 20 to 100 marks',
  },
  { label: 'Pricing', to: '/subscription', about: 'What credits cost and how to buy them' },
  { label: 'About Us', to: '/about-us', about: 'Mission, vision and story' },
  { label: 'Blogs', to: '/blogs', about: 'Reading for the staff room' },
  { label: 'FAQs', to: '/faqs', about: 'Ten questions and their answers' },
  { label: 'Terms & Conditions', to: '/terms', about: 'What we agree on' },
  { label: 'Privacy Policy', to: '/privacy', about: 'What we keep and why' },
] as const;

export default function SitemapRoute() {
  return (
    <PublicPage title="Sitemap" description={`Every page of ${env.productName} on one sheet.`}>
      <PageTitle lead="Every page on one sheet.">Sitemap</PageTitle>
      <nav aria-label="Sitemap" className="page">
        <ol className="max-w-[40rem] divide-y divide-border border-y border-border">
          {pages.map(({ label, to, about }, index) => (
            <li key={to} className="flex items-baseline gap-4">
              <span aria-hidden="true" className="w-6 text-right text-muted-foreground tabular-nums">
                {index + 1}.
              </span>
              <Link to={to} className="group min-w-0 flex-1 rounded-control py-3">
                <span className="block text-lg font-bold group-hover:text-primary group-hover:underline">
                  {label}
                </span>{' '}
                <span className="block text-muted-foreground">{about}</span>
              </Link>
            </li>
          ))}
        </ol>
      </nav>
    </PublicPage>
  );
}
