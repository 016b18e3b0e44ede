import { useId, type ReactNode } from 'react';
import { cn } from '@/lib/utils';

/**
 * Text beside the red margin line of an exercise book.
 * On wide screens headings stand in the margin.
 */
export function MarginArticle({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <div className={cn('page', className)}>
      <div className="relative border-l-2 border-margin pl-4 sm:pl-6 lg:border-0 lg:pl-0">
        <span
          aria-hidden="true"
          className="absolute inset-y-0 left-[17.5rem] hidden w-0.5 bg-margin lg:block print:hidden"
        />
        {children}
      </div>
    </div>
  );
}

interface MarginBlockProps {
  /** Stands before the heading, like a number in the margin. */
  number?: number;
  heading: string;
  children: ReactNode;
}

export function MarginBlock({ number, heading, children }: MarginBlockProps) {
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      className="pb-8 last:pb-2 lg:grid lg:grid-cols-[16rem_minmax(0,1fr)] lg:gap-x-12 lg:pb-10"
    >
      <h2 id={id} className="mb-2 text-xl leading-snug font-bold lg:mb-0 lg:text-right">
        {number === undefined ? null : <span className="text-muted-foreground tabular-nums">{number}. </span>}
        {heading}
      </h2>
      <div className="max-w-[66ch] space-y-3.5 text-lg leading-[1.6]">{children}</div>
    </section>
  );
}
