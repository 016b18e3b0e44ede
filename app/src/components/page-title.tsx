import type { ReactNode } from 'react';
import { cn } from '@/lib/utils';

interface PageTitleProps {
  children: ReactNode;
  lead?: ReactNode;
  className?: string;
}

/** The heading of a public page, with a sentence about its purpose. */
export function PageTitle({ children, lead, className }: PageTitleProps) {
  return (
    <div className={cn('page pt-8 pb-6 lg:pt-12 lg:pb-9', className)}>
      <h1 className="heading-condensed text-[clamp(2rem,1.4rem+2.4vw,3rem)] leading-[1.12]">{children}</h1>
      {lead ? (
        <p className="mt-3 max-w-[38rem] text-lg text-balance text-muted-foreground lg:text-xl lg:leading-[1.5]">
          {lead}
        </p>
      ) : null}
    </div>
  );
}
