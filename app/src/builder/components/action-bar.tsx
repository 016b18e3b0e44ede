import type { ReactNode } from 'react';

/** The actions of a builder: fixed at the bottom of phones, in their place on wider screens. */
export function ActionBar({ children }: { children: ReactNode }) {
  return (
    <div className="fixed inset-x-0 bottom-0 z-20 border-t border-border bg-background md:static md:border-0 md:bg-transparent">
      <div className="safe-bottom">
        <div className="px-4 py-2.5 md:p-0">{children}</div>
      </div>
    </div>
  );
}
