import { useEffect, useState } from 'react';

const delayMs = 600;

/** The text as it is once it has not changed for a moment, so that typing does not ask for every letter. */
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
