import { useEffect, useRef, type ReactNode } from 'react';

/** A thin line above the screen that is read out when it appears. It stays in sight, and nothing lies under or over it. */
export function NoticeBar({ children }: { children: ReactNode }) {
  const line = useRef<HTMLParagraphElement>(null);

  // Toasts, which lie at the top of a phone, begin below it.
  useEffect(() => {
    if (!line.current) return;
    const { style } = document.documentElement;
    style.setProperty('--notice-height', `${line.current.offsetHeight}px`);
    return () => {
      style.removeProperty('--notice-height');
    };
  }, [children]);

  return (
    <div role="status" className="sticky top-0 z-30">
      {children ? (
        <p
          ref={line}
          className="bg-accent px-4 py-1 text-center text-sm font-semibold text-accent-foreground"
        >
          {children}
        </p>
      ) : null}
    </div>
  );
}
