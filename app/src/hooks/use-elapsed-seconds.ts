import { useEffect, useState } from 'react';

/** Whole seconds since `startedAt` (milliseconds). They are right again after a locked screen. */
export function useElapsedSeconds(startedAt: number): number {
  const [now, setNow] = useState(startedAt);
  useEffect(() => {
    const timer = window.setInterval(() => {
      setNow(Date.now());
    }, 1_000);
    return () => {
      window.clearInterval(timer);
    };
  }, []);
  return Math.max(0, Math.floor((now - startedAt) / 1_000));
}
