import { useEffect, useRef } from 'react';
import { saveUnreported, type UnreportedPayment } from './unreported-payment';

/**
 * Keeps a payment from when it may have been made: the page was left for another app, or was open for long enough.
 * Closed before that, nothing was paid (SPECIFICATION.md S-280). Gives what to call when the way into the app
 * is taken.
 */
export function useSaveUnreported(
  userId: string,
  payment: UnreportedPayment,
  longEnough: boolean,
): () => void {
  const latest = useRef(payment);
  useEffect(() => {
    latest.current = payment;
  }, [payment]);
  useEffect(() => {
    const keep = () => {
      if (longEnough || document.hidden) saveUnreported(userId, latest.current);
    };
    keep();
    document.addEventListener('visibilitychange', keep);
    return () => {
      document.removeEventListener('visibilitychange', keep);
    };
  }, [userId, longEnough]);
  return () => {
    saveUnreported(userId, payment);
  };
}
