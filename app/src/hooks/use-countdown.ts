import { useEffect, useState } from 'react';

/** Counts whole seconds down to 0 from the moment the component appears. */
export function useCountdown(seconds: number): number {
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    const timer = window.setInterval(() => {
      setLeft((value) => Math.max(0, value - 1));
    }, 1_000);
    return () => {
      window.clearInterval(timer);
    };
  }, []);
  return left;
}
