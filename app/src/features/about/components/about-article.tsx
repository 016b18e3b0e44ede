import { Check } from 'lucide-react';
import { Link } from 'react-router';
import { Button } from '@/components/ui/button';
import { useI18n } from '@/lib/i18n';
import { aboutParagraphs, offerings, promises } from '../about';

export function AboutArticle() {
  const { t } = useI18n();
  return (
    <div className="page grid gap-x-14 gap-y-10 lg:grid-cols-[minmax(0,66ch)_minmax(0,1fr)]">
      <div className="space-y-4 text-lg leading-[1.6]">
        {aboutParagraphs.map((paragraph) => (
          <p key={paragraph}>{t(paragraph)}</p>
        ))}
        <ul className="space-y-1.5">
          {promises.map((promise) => (
            <li key={promise} className="flex gap-2.5 text-balance">
              <Check aria-hidden="true" className="mt-1 size-5 shrink-0 text-success" strokeWidth={2.4} />
              {t(promise)}
            </li>
          ))}
        </ul>
        <p className="flex flex-wrap gap-3 pt-2 print:hidden">
          <Button asChild>
            <Link to="/auth">{t('about.start')}</Link>
          </Button>
          <Button asChild variant="outline">
            <Link to="/about-us">{t('about.story')}</Link>
          </Button>
        </p>
      </div>
      <section aria-labelledby="offerings-heading">
        <h2 id="offerings-heading" className="text-xl font-bold">
          {t('about.offerings')}
        </h2>
        <ul className="mt-2 divide-y divide-border border-y border-border">
          {offerings.map(({ name, text, comingSoon }) => (
            <li key={name} className="py-4">
              <h3 className="flex flex-wrap items-center gap-x-3 gap-y-1 text-lg font-bold">
                {t(name)}{' '}
                {comingSoon ? (
                  <span className="rounded-full bg-accent-soft px-2.5 py-0.5 text-sm font-semibold">
                    {t('about.comingSoon')}
                  </span>
                ) : null}
              </h3>
              <p className="mt-0.5 text-muted-foreground">{t(text)}</p>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}
