import { useEffect, useState } from 'react';

const delayMs = 600;

/**
 * Returns the text once it has not changed for a moment, so that not every letter causes a call.
 * `delay` is in milliseconds.
 */
export function useDebouncedValue(text: string, delay = delayMs): string {
  const [debounced, setDebounced] = useState(text);
  useEffect(() => {
    const timer = window.setTimeout(() => {
      setDebounced(text);
    }, delay);
    return () => {
      window.clearTimeout(timer);
    };
  }, [text, delay]);
  return debounced;
}
