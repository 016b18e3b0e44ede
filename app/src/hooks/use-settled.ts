import { useEffect, useState } from 'react';

const settlesAfterMs = 600;

/** The text as it is once it has not changed for a moment, so that typing does not ask for every letter. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = window.setTimeout(() => {
      setSettled(text);
    }, settlesAfterMs);
    return () => {
      window.clearTimeout(timer);
    };
  }, [text]);
  return settled;
}
