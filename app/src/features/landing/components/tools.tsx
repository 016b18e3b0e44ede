import { ArrowRight } from 'lucide-react';
import { Link } from 'react-router';
import { Cost } from '@/components/cost';
import { generationCost } from '@/lib/generation-cost';
import { comingSoonTools, tools, type Tool } from '@/lib/tools';
import { useI18n } from '@/lib/i18n';
import { ToolSheet } from './tool-sheet';

/** The four tools as items 1 to 4 of a paper, and the eight announced tools. */
export function Tools() {
  const { t } = useI18n();
  return (
    <section id="tools" aria-labelledby="tools-heading" className="page py-8 lg:py-12">
      <h2 id="tools-heading" className="heading-condensed border-b-2 border-foreground pb-5 text-title">
        {t('landing.toolsHeading')}
      </h2>
      <ol className="mt-2 grid gap-x-12 md:grid-cols-2">
        {tools.map((tool, index) => (
          <ToolItem key={tool.id} tool={tool} number={index + 1} />
        ))}
      </ol>
      <h2 className="mt-10 text-2xl font-bold">{t('tools.comingSoon')}</h2>
      <ul className="mt-4 grid grid-cols-2 gap-2.5 lg:grid-cols-4">
        {comingSoonTools.map((name) => (
          <li key={name}>
            <Link
              to="/auth"
              className="flex h-full min-h-14 items-center rounded-card border border-dashed border-input px-3.5 py-2 leading-snug font-semibold text-muted-foreground hover:bg-muted hover:text-foreground"
            >
              {t(name)}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** An item of the paper: number, name, price, and the corner of the document. */
function ToolItem({ tool, number }: { tool: Tool; number: number }) {
  const { t } = useI18n();
  return (
    <li className="group grid grid-cols-[auto_minmax(0,1fr)_auto] gap-x-4 border-b border-border py-7">
      <span aria-hidden="true" className="heading-condensed w-7 text-2xl text-muted-foreground tabular-nums">
        {number}.
      </span>
      <h3 className="text-2xl font-bold">{t(tool.publicName)}</h3>
      <Cost credits={generationCost} className="pt-1 text-lg text-destructive" />
      <div className="col-start-2 col-end-4 flex flex-col items-start">
        <p className="mt-1 flex-1 text-muted-foreground md:min-h-[3.1rem]">{t(tool.detail)}</p>
        <div className="mt-4 w-full">
          <ToolSheet tool={tool.id} />
        </div>
        <Link
          to={tool.preview}
          aria-label={t('landing.getStartedWith', { tool: t(tool.publicName) })}
          className="mt-4 inline-flex min-h-11 items-center gap-2 rounded-control border-[1.5px] border-primary px-4 font-semibold text-primary hover:bg-primary-soft"
        >
          {t('landing.getStarted')} <ArrowRight aria-hidden="true" className="size-5" />
        </Link>
      </div>
    </li>
  );
}
