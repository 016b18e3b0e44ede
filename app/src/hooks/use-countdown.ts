import { useEffect, useState } from 'react';

/**
 * Counts whole seconds down to 0, from mounting or from when `running` is first true. It is right
 * again after the page was suspended behind another app.
 */
export function useCountdown(seconds: number, running = true): number {
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    if (!running) return;
    const end = Date.now() + seconds * 1_000;
    const update = () => {
      setLeft(Math.max(0, Math.round((end - Date.now()) / 1_000)));
    };
    const timer = window.setInterval(update, 1_000);
    document.addEventListener('visibilitychange', update);
    return () => {
      window.clearInterval(timer);
      document.removeEventListener('visibilitychange', update);
    };
  }, [seconds, running]);
  return left;
}
