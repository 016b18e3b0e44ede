import { TriangleAlert } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useI18n } from '@/lib/i18n';
import { languageOfRemark } from '@/lib/sentence-language';
import { cn } from '@/lib/utils';
import { partlyFrom, type Forecast } from '../api/forecast';
import { languageName } from '../document-language';
import type { Forewarning } from '../use-forewarning';

/** It helps, and the warning says the same without it. */
const UseChapter = lazy(() => import('./use-chapter').catch(() => ({ default: () => null })));

/** From this share on, the chapter counts as known (functions/SPECIFICATION.md GEN-11.3). */
const knownFrom = 0.8;

/**
 * Says before the charge what the document will be, where no model writes it: above all that it will be a frame. Where
 * one does, what its stand-in would make of it, and what the document will lack.
 */
export function ForecastNote({
  forecast,
  looking,
  late,
}: Pick<Forewarning, 'forecast' | 'looking' | 'late'>) {
  const { t } = useI18n();
  const warnings = forecast?.warnings.filter((warning) => warning !== forecast.label) ?? [];
  return (
    <div role="status">
      {forecast?.generator === 'template' ? <ForecastWords forecast={forecast} /> : null}
      {forecast?.fallback ? <Warning lang={forecast.language}>{forecast.fallback}</Warning> : null}
      {warnings.map((warning) => (
        <Warning key={warning} lang={languageOfRemark(warning, forecast?.language)}>
          {warning}
        </Warning>
      ))}
      {looking ? <p className="mb-3">{t('builder.foretelling')}</p> : null}
      {late ? <p className="mb-3 font-semibold">{t('builder.unforetold')}</p> : null}
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

/** What a document will say of itself, and a warning where that is mostly blanks. */
function ForecastWords({ forecast }: { forecast: Forecast }) {
  const { t, language } = useI18n();
  const coverage = forecast.coverage ?? 0;
  const inEnglish = forecast.standIn === 'chapter';
  return (
    <div className={cn('mb-3 rounded-control px-4 py-3 text-sm', looks(coverage, inEnglish))}>
      {coverage < partlyFrom ? <FrameWarning /> : null}
      {inEnglish ? (
        <p className="mb-2 text-base font-bold">
          {t('builder.language', { language: languageName(forecast.language, language) })}{' '}
          {t('builder.languageByBank')}
        </p>
      ) : null}
      <p>{t('builder.forecast')}</p>
      <p lang={forecast.language} className="mt-1 font-semibold">
        {forecast.label}
      </p>
    </div>
  );
}

function looks(coverage: number, inEnglish: boolean): string {
  if (coverage < partlyFrom) return 'border-2 border-destructive bg-destructive-soft';
  return coverage < knownFrom || inEnglish ? 'bg-accent-soft' : 'bg-muted text-muted-foreground';
}

/** Nobody should pay for blanks unawares: what is wrong, and what to do before paying. */
function FrameWarning() {
  const { t } = useI18n();
  return (
    <div className="mb-2.5 border-b border-destructive pb-2.5">
      <p className="flex gap-2.5 text-base font-bold text-destructive">
        <TriangleAlert aria-hidden="true" className="mt-0.5 size-5 shrink-0" />
        {t('builder.frame')}
      </p>
      <p className="mt-1.5 text-base">{t('builder.frameAdvice')}</p>
      <Suspense>
        <UseChapter />
      </Suspense>
    </div>
  );
}
