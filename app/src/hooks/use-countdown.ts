import { useEffect, useState } from 'react';

/** Counts whole seconds down to 0 from the moment the component appears, or from when `running` is first true. */
export function useCountdown(seconds: number, running = true): number {
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    if (!running) return;
    const timer = window.setInterval(() => {
      setLeft((value) => Math.max(0, value - 1));
    }, 1_000);
    return () => {
      window.clearInterval(timer);
    };
  }, [running]);
  return left;
}
