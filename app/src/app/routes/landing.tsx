import { ContactCards } from '@/components/contact-cards';
import { PublicPage } from '@/components/public-page';
import { Hero } from '@/features/landing/components/hero';
import { MarksBoard } from '@/features/landing/components/marks-board';
import { TestimonialCarousel } from '@/features/landing/components/testimonial-carousel';
import { Tools } from '@/features/landing/components/tools';
import { env } from '@/lib/env';
import { useI18n } from '@/lib/i18n';

/**
 * The landing page makes no call to the backend and
 * loads none of its client (SPECIFICATION.md S-072).
 */
export default function LandingRoute() {
  const { t, language } = useI18n();
  return (
    <PublicPage
      language={language}
      title={t('landing.title')}
      description={t('landing.description', { product: env.productName })}
      banner={
        <aside
          aria-label={t('landing.offer')}
          className="bg-accent px-4 py-2.5 text-center font-semibold text-accent-foreground"
        >
          {t('landing.banner')}
        </aside>
      }
    >
      <Hero />
      <Tools />
      <MarksBoard />
      <TestimonialCarousel />
      <ContactCards />
    </PublicPage>
  );
}
