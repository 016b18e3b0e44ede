import { ArrowRight, Check } from 'lucide-react';
import { Link } from 'react-router';
import { Button } from '@/components/ui/button';
import { useI18n } from '@/lib/i18n';
import { HeroPaper } from './hero-paper';

export function Hero() {
  const { t } = useI18n();
  const promises = [t('landing.promiseClasses'), t('landing.promiseTime'), t('landing.promiseCredits')];
  return (
    <section className="overflow-hidden">
      <div className="page grid items-center gap-x-8 gap-y-10 pt-8 pb-14 lg:grid-cols-[minmax(0,1.05fr)_minmax(0,1fr)] lg:pt-12 lg:pb-20">
        <div>
          <h1 className="heading-condensed text-hero">
            {t('landing.headline')} <span className="highlighter">{t('landing.headlineMarked')}</span>
          </h1>
          <p className="mt-5 max-w-[26rem] text-lg text-balance text-muted-foreground lg:text-xl lg:leading-[1.5]">
            {t('landing.lead')}
          </p>
          <div className="mt-6 flex flex-wrap gap-3">
            <Button asChild size="lg" className="flex-auto whitespace-nowrap sm:flex-none">
              <Link to="/auth">
                {t('landing.start')} <ArrowRight aria-hidden="true" />
              </Link>
            </Button>
            <Button asChild size="lg" variant="outline" className="flex-auto whitespace-nowrap sm:flex-none">
              <a href="#tools">{t('landing.seeTools')}</a>
            </Button>
          </div>
          <ul className="mt-6 flex flex-wrap gap-x-6 gap-y-2">
            {promises.map((promise) => (
              <li key={promise} className="flex items-center gap-2 text-muted-foreground">
                <Check aria-hidden="true" className="size-[18px] text-success" strokeWidth={2.4} />
                {promise}
              </li>
            ))}
          </ul>
        </div>
        <HeroPaper />
      </div>
    </section>
  );
}
