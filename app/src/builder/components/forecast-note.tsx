import { useI18n } from '@/lib/i18n';
import { cn } from '@/lib/utils';
import type { Forecast } from '../api/forecast';

/** From this share on, the chapter counts as known (generation.md 11.3). */
const knownFrom = 0.8;

/** Says before the charge what the document will be, where no model writes it: above all that it will be a frame. */
export function ForecastNote({ forecast }: { forecast: Forecast | undefined }) {
  const { t } = useI18n();
  const shown = forecast?.generator === 'template' ? forecast : null;
  return (
    <div role="status">
      {shown ? (
        <div
          className={cn(
            'mb-3 rounded-control px-4 py-3 text-sm',
            (shown.coverage ?? 0) < knownFrom ? 'bg-accent-soft' : 'bg-muted text-muted-foreground',
          )}
        >
          <p>{t('builder.forecast')}</p>
          <p lang={shown.language} className="mt-1 font-semibold">
            {shown.label}
          </p>
        </div>
      ) : null}
    </div>
  );
}
