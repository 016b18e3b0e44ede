import { TriangleAlert } from 'lucide-react';
import { useI18n } from '@/lib/i18n';
import { cn } from '@/lib/utils';
import { partlyFrom, type Forecast } from '../api/forecast';
import { languageName } from '../document-language';

/** From this share on, the chapter counts as known (generation.md 11.3). */
const knownFrom = 0.8;

/** What a document will say of itself, and a warning where that is mostly blanks. */
export default function ForecastWords({ forecast }: { forecast: Forecast }) {
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
    </div>
  );
}
