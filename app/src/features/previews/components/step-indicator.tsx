import { Check, Circle, CircleDot } from 'lucide-react';
import { useI18n } from '@/lib/i18n';
import { cn } from '@/lib/utils';

interface StepIndicatorProps {
  steps: readonly string[];
  /** The number of complete steps. */
  complete: number;
}

/**
 * The current step. Complete steps turn green (SPECIFICATION.md S-077). The steps have no numbers,
 * because the parts of the form have them, and other names (S-078).
 */
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
              'flex items-center gap-1.5 font-semibold whitespace-nowrap',
              index < complete && 'text-success',
              index > complete && 'text-muted-foreground',
            )}
          >
            <StepSign place={Math.sign(index - complete)} />
            {step}
          </span>
        </li>
      ))}
    </ol>
  );
}

/** A step before the current one, the current one, or a later one. */
function StepSign({ place }: { place: number }) {
  const Sign = place < 0 ? Check : place > 0 ? Circle : CircleDot;
  return <Sign aria-hidden="true" strokeWidth={place < 0 ? 3 : 2} className="size-4 shrink-0" />;
}
