import { useEffect, useState } from 'react';

const delayMs = 600;

/**
 * Returns the text once it has not changed for a moment, so that not every letter causes a call.
 */
export function useDebouncedValue(text: string): string {
  const [debounced, setDebounced] = useState(text);
  useEffect(() => {
    const timer = window.setTimeout(() => {
      setDebounced(text);
    }, delayMs);
    return () => {
      window.clearTimeout(timer);
    };
  }, [text]);
  return debounced;
}
