import type { ReactNode } from 'react';

/** A thin line over the screen that is read out when it appears. */
export function NoticeBar({ children }: { children: ReactNode }) {
  return (
    <div role="status" className="fixed inset-x-0 top-0 z-30 flex justify-center">
      {children ? (
        <p className="w-full bg-accent px-4 py-1 text-center text-sm font-semibold text-accent-foreground">
          {children}
        </p>
      ) : null}
    </div>
  );
}
