import { useEffect, useRef, type ReactNode } from 'react';

/**
 * A thin line above the screen that is read out when it
 * appears. It stays visible and takes its own space.
 */
export function NoticeBar({ children }: { children: ReactNode }) {
  const line = useRef<HTMLParagraphElement>(null);
  const isShown = Boolean(children);

  // Toasts at the top of a phone begin below the line, also after the phone was rotated.
  useEffect(() => {
    const { current } = line;
    if (!current) return;
    const { style } = document.documentElement;
    const observer = new ResizeObserver(() => {
      style.setProperty('--notice-height', `${current.offsetHeight}px`);
    });
    observer.observe(current);
    return () => {
      observer.disconnect();
      style.removeProperty('--notice-height');
    };
  }, [isShown]);

  return (
    <div role="status" className="sticky top-0 z-30">
      {isShown ? (
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
