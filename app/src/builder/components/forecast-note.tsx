import { lazy, Suspense } from 'react';
import type { Forecast } from '../api/forecast';

/** Whatever becomes of its code, nobody pays without having read the sentence itself. */
const FullNote = lazy(() => import('./forecast-words').catch(() => ({ default: Sentence })));

interface NoteProps {
  forecast: Forecast;
}

/**
 * Says before the charge what the document will be, where no model writes it: above all that it will be a frame. Where
 * one does, what its stand-in would make of it.
 */
export function ForecastNote({ forecast }: { forecast: Forecast | undefined }) {
  return (
    <div role="status">
      {forecast?.generator === 'template' ? (
        <Suspense fallback={<Sentence forecast={forecast} />}>
          <FullNote forecast={forecast} />
        </Suspense>
      ) : null}
      {forecast?.fallback ? (
        <p lang={forecast.language} className="mb-3 rounded-control bg-accent-soft px-4 py-3 text-sm">
          {forecast.fallback}
        </p>
      ) : null}
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
