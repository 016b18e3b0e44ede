import { useSyncExternalStore } from 'react';
import { formatDate } from '@/lib/dates';

const checkEveryMs = 30_000;

function subscribe(listener: () => void): () => void {
  const timer = window.setInterval(listener, checkEveryMs);
  return () => {
    window.clearInterval(timer);
  };
}

/**
 * The current day in Indian time, which changes at midnight there (SPECIFICATION.md S-094, S-095).
 */
export function LastUpdated() {
  const today = useSyncExternalStore(
    subscribe,
    () => formatDate(new Date()),
    // The page is prerendered and does not know the day.
    () => null,
  );
  return <p className="min-h-7 text-muted-foreground">{today ? `Last updated: ${today}` : null}</p>;
}
