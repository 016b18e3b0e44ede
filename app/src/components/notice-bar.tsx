import type { ReactNode } from 'react';

/** A thin line above the screen that is read out when it appears. It stays in sight, and nothing lies under it. */
export function NoticeBar({ children }: { children: ReactNode }) {
  return (
    <div role="status" className="sticky top-0 z-30">
      {children ? (
        <p className="bg-accent px-4 py-1 text-center text-sm font-semibold text-accent-foreground">
          {children}
        </p>
      ) : null}
    </div>
  );
}
