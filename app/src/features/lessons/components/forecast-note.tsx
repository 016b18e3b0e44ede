import { useSettled } from '@/hooks/use-settled';
import { useI18n } from '@/lib/i18n';
import { cn } from '@/lib/utils';
import { useLessonPlanForecast } from '../api/lesson-plan-forecast';
import { lessonPlanSchema, requestOf, type LessonPlanForm } from '../schema';

/** From this share on, the chapter counts as known (generation.md 11.3). */
const knownFrom = 0.8;

/** Says before the charge what the plan will be, where no model writes it: above all that it will be a frame. */
export function ForecastNote({ form, sample }: { form: LessonPlanForm; sample: string }) {
  const { t } = useI18n();
  const settled = useSettled(JSON.stringify(form));
  const parsed = lessonPlanSchema.safeParse(JSON.parse(settled));
  const forecast = useLessonPlanForecast(parsed.success ? requestOf(parsed.data, sample) : null);
  const unchanged = settled === JSON.stringify(form);
  const shown = unchanged && forecast?.generator === 'template' ? forecast : null;
  return (
    <div role="status">
      {shown ? (
        <div
          className={cn(
            'mb-3 rounded-control px-4 py-3 text-sm',
            (shown.coverage ?? 0) < knownFrom ? 'bg-accent-soft' : 'bg-muted text-muted-foreground',
          )}
        >
          <p>{t('lesson.forecast')}</p>
          <p lang={shown.language} className="mt-1 font-semibold">
            {shown.label}
          </p>
        </div>
      ) : null}
    </div>
  );
}
