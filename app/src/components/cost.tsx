import { useI18n } from '@/lib/i18n';
import { cn } from '@/lib/utils';

/** The price of an action, written like marks on a question paper: `[20]`. */
export function Cost({ credits, className }: { credits: number; className?: string }) {
  const { tn } = useI18n();
  return (
    <span className={cn('font-semibold tabular-nums', className)}>
      <span aria-hidden="true">[{credits}]</span>
      <span className="sr-only">{tn('common.credits', credits)}</span>
    </span>
  );
}
