import { ArrowRight } from 'lucide-react';
import { Link } from 'react-router';
import { Cost } from '@/components/cost';
import { generationCost } from '@/lib/generation-cost';
import { comingSoonTools, tools } from '@/lib/tools';
import { useI18n } from '@/lib/i18n';

/** The four tools as items 1 to 4 of a paper, and the eight that are to come. */
export function Tools() {
  const { t } = useI18n();
  return (
    <section id="tools" aria-labelledby="tools-heading" className="page py-8 lg:py-12">
      <h2 id="tools-heading" className="heading-condensed border-b-2 border-foreground pb-5 text-title">
        {t('landing.toolsHeading')}
      </h2>
      <ol className="divide-y divide-border">
        {tools.map((tool, index) => (
          <li
            key={tool.id}
            className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-start gap-x-4 gap-y-4 py-7 md:grid-cols-[auto_minmax(0,1fr)_auto_auto] md:items-center md:gap-x-8"
          >
            <span
              aria-hidden="true"
              className="heading-condensed w-7 text-2xl text-muted-foreground tabular-nums"
            >
              {index + 1}.
            </span>
            <span className="min-w-0">
              <h3 className="text-2xl font-bold">{t(tool.publicName)}</h3>
              <p className="mt-1 max-w-[38rem] text-muted-foreground">{t(tool.detail)}</p>
            </span>
            <Cost credits={generationCost} className="pt-1 text-lg text-destructive md:pt-0" />
            <Link
              to={tool.preview}
              aria-label={t('landing.getStartedWith', { tool: t(tool.publicName) })}
              className="col-start-2 inline-flex min-h-11 items-center gap-2 justify-self-start rounded-control border-[1.5px] border-primary px-4 font-semibold text-primary hover:bg-primary-soft md:col-start-auto"
            >
              {t('landing.getStarted')} <ArrowRight aria-hidden="true" className="size-5" />
            </Link>
          </li>
        ))}
      </ol>
      <h2 className="mt-10 text-2xl font-bold">{t('tools.comingSoon')}</h2>
      <ul className="mt-4 grid grid-cols-2 gap-2.5 lg:grid-cols-4">
        {comingSoonTools.map((name) => (
          <li key={name}>
            <Link
              to="/auth"
              className="flex min-h-14 items-center rounded-card border border-dashed border-input px-3.5 py-2 leading-snug font-semibold text-muted-foreground hover:bg-muted hover:text-foreground"
            >
              {t(name)}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
