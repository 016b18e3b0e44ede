import { useId, type ReactNode, type Ref } from 'react';
import { useI18n } from '@/lib/i18n';
import { cn } from '@/lib/utils';

interface MarginSectionProps {
  number: number;
  title: string;
  complete: boolean;
  last?: boolean;
  /** The heading, for callers that move the focus there. */
  headingRef?: Ref<HTMLHeadingElement>;
  children: ReactNode;
}

/**
 * A step of a builder. Its number stands left of the red
 * margin line and turns green when it is complete.
 */
export function MarginSection({
  number,
  title,
  complete,
  last = false,
  headingRef,
  children,
}: MarginSectionProps) {
  const { t } = useI18n();
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      className={cn(
        'relative ml-[29px] border-l-2 border-margin pl-3 md:ml-12 md:pl-[18px]',
        last ? 'pb-2' : 'pb-9',
      )}
    >
      <h2
        ref={headingRef}
        id={id}
        tabIndex={-1}
        className="mb-3 text-xl leading-[1.6] font-bold outline-none"
      >
        <span
          className={cn(
            'absolute -left-[31px] w-[26px] text-right tabular-nums md:-left-[44px] md:w-[34px]',
            complete ? 'text-success' : 'text-muted-foreground',
          )}
        >
          {number}.
        </span>{' '}
        {title}
        {complete ? <span className="sr-only"> ({t('common.stepComplete')})</span> : null}
      </h2>
      {children}
    </section>
  );
}
