import { useI18n } from '@/lib/i18n';
import { cn } from '@/lib/utils';

interface StepIndicatorProps {
  steps: readonly string[];
  /** How many of them are complete. */
  complete: number;
}

/** Where the teacher is; what is complete turns green (screens.md S-077). */
export function StepIndicator({ steps, complete }: StepIndicatorProps) {
  const { t } = useI18n();
  return (
    <ol aria-label={t('preview.steps')} className="mt-5 flex max-w-md items-center gap-3">
      {steps.map((step, index) => (
        <li
          key={step}
          aria-current={index === complete ? 'step' : undefined}
          className={cn('flex items-center gap-3', index > 0 && 'flex-1')}
        >
          {index > 0 ? <span aria-hidden="true" className="h-0.5 flex-1 bg-border" /> : null}
          <span
            className={cn(
              'font-semibold whitespace-nowrap',
              index < complete && 'text-success',
              index > complete && 'text-muted-foreground',
            )}
          >
            <span className="tabular-nums">{index + 1}.</span> {step}
          </span>
        </li>
      ))}
    </ol>
  );
}
