import { lazy, Suspense } from 'react';
import { useI18n } from '@/lib/i18n';
import type { Forecast } from '../api/forecast';
import type { Forewarning } from '../use-forewarning';

/** Whatever becomes of its code, nobody pays without having read the sentence itself. */
const FullNote = lazy(() => import('./forecast-words').catch(() => ({ default: Sentence })));

interface NoteProps {
  forecast: Forecast;
}

/** Says before the charge what the document will be: above all that it will be a frame, and what it will lack. */
export function ForecastNote({
  forecast,
  looking,
  late,
}: Pick<Forewarning, 'forecast' | 'looking' | 'late'>) {
  const { t } = useI18n();
  const warnings = forecast?.warnings.filter((warning) => warning !== forecast.label) ?? [];
  return (
    <div role="status">
      {forecast?.generator === 'template' ? (
        <Suspense fallback={<Sentence forecast={forecast} />}>
          <FullNote forecast={forecast} />
        </Suspense>
      ) : null}
      {warnings.map((warning) => (
        <p key={warning} className="mb-3 rounded-control bg-accent-soft px-4 py-3 text-sm">
          {warning}
        </p>
      ))}
      {looking ? <p className="mb-3">{t('builder.foretelling')}</p> : null}
      {late ? <p className="mb-3 font-semibold">{t('builder.unforetold')}</p> : null}
    </div>
  );
}

function Sentence({ forecast }: NoteProps) {
  return (
    <p lang={forecast.language} className="mb-3 font-semibold">
      {forecast.label}
    </p>
  );
}
