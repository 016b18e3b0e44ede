import { TriangleAlert } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useI18n } from '@/lib/i18n';
import { languageOfRemark } from '@/lib/sentence-language';
import { cn } from '@/lib/utils';
import { partialCoverageFrom, type Estimate } from '../api/estimate';
import { languageName } from '../document-language';
import type { ChargeConfirmation } from '../use-confirm-before-charge';

/** The suggestion is optional, because the warning says the same without it. */
const ChapterSuggestion = lazy(() => import('./chapter-suggestion').catch(() => ({ default: () => null })));

/** From this coverage on, the chapter counts as known (functions/SPECIFICATION.md GEN-11.3). */
const fullCoverageFrom = 0.8;

/**
 * Says before the charge what the document will be. Without a model, it
 * warns above all of a mostly blank document. With a model, it says what
 * the fallback would generate, and what the document will lack.
 */
export function EstimateNote({
  estimate,
  estimating,
  unavailable,
}: Pick<ChargeConfirmation, 'estimate' | 'estimating' | 'unavailable'>) {
  const { t } = useI18n();
  // The field of the sample shows the warning about it.
  const shownElsewhere = [estimate?.label, estimate?.sample?.warning];
  const warnings = estimate?.warnings.filter((warning) => !shownElsewhere.includes(warning)) ?? [];
  return (
    <div role="status">
      {estimate?.generator === 'template' ? <EstimateLabel estimate={estimate} /> : null}
      {estimate?.fallback ? <Warning lang={estimate.language}>{estimate.fallback}</Warning> : null}
      {warnings.map((warning) => (
        <Warning key={warning} lang={languageOfRemark(warning, estimate?.language)}>
          {warning}
        </Warning>
      ))}
      {estimating ? <p className="mb-3">{t('builder.estimating')}</p> : null}
      {unavailable ? <p className="mb-3 font-semibold">{t('builder.noEstimate')}</p> : null}
    </div>
  );
}

function Warning({ lang, children }: { lang: string | undefined; children: string }) {
  return (
    <p lang={lang} className="mb-3 rounded-control bg-accent-soft px-4 py-3 text-sm">
      {children}
    </p>
  );
}

/** The label that the document will have, with a warning if it is mostly blank. */
function EstimateLabel({ estimate }: { estimate: Estimate }) {
  const { t, language } = useI18n();
  const coverage = estimate.coverage ?? 0;
  const inEnglish = estimate.standIn === 'chapter';
  return (
    <div className={cn('mb-3 rounded-control px-4 py-3 text-sm', noteClasses(coverage, inEnglish))}>
      {coverage < partialCoverageFrom ? <MostlyBlankWarning /> : null}
      {inEnglish ? (
        <p className="mb-2 text-base font-bold">
          {t('builder.language', { language: languageName(estimate.language, language) })}{' '}
          {t('builder.languageByBank')}
        </p>
      ) : null}
      <p>{t('builder.estimate')}</p>
      <p lang={estimate.language} className="mt-1 font-semibold">
        {estimate.label}
      </p>
    </div>
  );
}

function noteClasses(coverage: number, inEnglish: boolean): string {
  if (coverage < partialCoverageFrom) return 'border-2 border-destructive bg-destructive-soft';
  return coverage < fullCoverageFrom || inEnglish ? 'bg-accent-soft' : 'bg-muted text-muted-foreground';
}

/**
 * Nobody should pay for blanks without knowing. The
 * warning says what is wrong and what to do first.
 */
function MostlyBlankWarning() {
  const { t } = useI18n();
  return (
    <div className="mb-2.5 border-b border-destructive pb-2.5">
      <p className="flex gap-2.5 text-base font-bold text-destructive">
        <TriangleAlert aria-hidden="true" className="mt-0.5 size-5 shrink-0" />
        {t('builder.blank')}
      </p>
      <p className="mt-1.5 text-base">{t('builder.blankAdvice')}</p>
      <Suspense>
        <ChapterSuggestion />
      </Suspense>
    </div>
  );
}
