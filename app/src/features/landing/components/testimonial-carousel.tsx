import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { useI18n } from '@/lib/i18n';
import { pageAfter, pageCount, perPage, testimonials } from '../testimonials';

/**
 * Five pages of three testimonials. It loops and moves
 * only on a press (SPECIFICATION.md S-066 to S-070).
 */
export function TestimonialCarousel() {
  const { t } = useI18n();
  const [page, setPage] = useState(0);
  const shown = testimonials.slice(page * perPage, (page + 1) * perPage);

  function turn(steps: number) {
    setPage((current) => pageAfter(current, steps));
  }

  return (
    <section aria-roledescription="carousel" aria-labelledby="voices-heading" className="page py-10 lg:py-14">
      <div className="flex items-end justify-between gap-4">
        <h2 id="voices-heading" className="heading-condensed text-title">
          {t('landing.voices')}
        </h2>
        <div className="flex items-center gap-2">
          <span className="text-muted-foreground tabular-nums whitespace-nowrap" aria-hidden="true">
            {page + 1} / {pageCount}
          </span>
          <Button
            variant="soft"
            size="icon"
            aria-label={t('landing.previousVoices')}
            onClick={() => {
              turn(-1);
            }}
          >
            <ChevronLeft aria-hidden="true" />
          </Button>
          <Button
            variant="soft"
            size="icon"
            aria-label={t('landing.nextVoices')}
            onClick={() => {
              turn(1);
            }}
          >
            <ChevronRight aria-hidden="true" />
          </Button>
        </div>
      </div>
      <p className="mt-1.5 text-muted-foreground">{t('landing.voicesNote')}</p>
      <p role="status" className="sr-only">
        {t('landing.voicesPage', { page: page + 1, pages: pageCount })}
      </p>
      <ul key={page} className="mt-6 grid animate-rise gap-3.5 md:grid-cols-3 md:gap-4">
        {shown.map((voice) => (
          <li
            key={voice.author}
            className="relative flex min-h-[11.5rem] flex-col justify-between gap-4 rounded-card border border-border bg-card py-5 pr-5 pl-10 shadow-card"
          >
            <span aria-hidden="true" className="absolute inset-y-0 left-6 w-[1.5px] bg-margin" />
            <blockquote className="text-lg leading-[1.5]">{t(voice.text)}</blockquote>
            <p>
              <span className="block font-bold">{t(voice.author)}</span>
              <span className="block text-sm text-muted-foreground">{t(voice.location)}</span>
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
