import { PublicHeader } from '@/components/public-header';
import { Contacts } from '@/features/landing/components/contacts';
import { Footer } from '@/features/landing/components/footer';
import { Hero } from '@/features/landing/components/hero';
import { TestimonialCarousel } from '@/features/landing/components/testimonial-carousel';
import { Tools } from '@/features/landing/components/tools';
import { usePage } from '@/hooks/use-page';
import { useI18n } from '@/lib/i18n';

/** The public start: no call to the backend, and none of its client (screens.md S-072). */
export default function LandingRoute() {
  const { t } = useI18n();
  usePage(t('landing.title'), 'public');
  return (
    <div data-prerendered="">
      <aside
        aria-label={t('landing.offer')}
        className="bg-accent px-4 py-2.5 text-center font-semibold text-accent-foreground"
      >
        {t('landing.banner')}
      </aside>
      <PublicHeader />
      <main>
        <Hero />
        <Tools />
        <TestimonialCarousel />
        <Contacts />
      </main>
      <Footer />
    </div>
  );
}
