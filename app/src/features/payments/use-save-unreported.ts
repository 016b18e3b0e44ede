import { useEffect, useRef } from 'react';
import { saveUnreported, type UnreportedPayment } from './unreported-payment';

/**
 * Stores a payment once it may have been made: the page was left for another app, or was open for
 * long enough. If the dialog closes before that, nothing was paid (SPECIFICATION.md S-280). Returns
 * the function to call when the link to the app is pressed.
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
