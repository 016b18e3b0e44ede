import { useMemo, useSyncExternalStore } from 'react';

/** A payment that may have been made in another app and was not reported yet. */
export interface UnreportedPayment {
  transactionId: string;
  /** Rupees. */
  amount: number;
  credits: number;
  /** The plan's name, or empty if credits are bought without one. */
  plan: string;
  /** It may be reported without a phone number (SPECIFICATION.md S-282). */
  phoneOptional: boolean;
  /** Milliseconds. */
  startedAt: number;
}

const listeners = new Set<() => void>();
const keyOf = (userId: string) => `payment.${userId}`;

/**
 * Stores a payment on the device. A phone may drop the page while its owner pays in another app.
 */
export function saveUnreported(userId: string, payment: UnreportedPayment): void {
  change((storage) => {
    storage.setItem(keyOf(userId), JSON.stringify(payment));
  });
}

/** Clears the payment after it was reported, or after the user said that it was not paid. */
export function clearUnreported(userId: string): void {
  change((storage) => {
    storage.removeItem(keyOf(userId));
  });
}

/** Returns the payment that the user began on this device and did not report, or null. */
export function unreportedPayment(userId: string): UnreportedPayment | null {
  return parse(textOf(userId));
}

export function useUnreportedPayment(userId: string): UnreportedPayment | null {
  const text = useSyncExternalStore(subscribe, () => textOf(userId));
  return useMemo(() => parse(text), [text]);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // Another tab may report it.
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

function change(write: (storage: Storage) => void): void {
  try {
    write(localStorage);
  } catch {
    // If storage is full, only a dropped page loses the payment.
  }
  for (const listener of listeners) listener();
}

function textOf(userId: string): string | null {
  try {
    return localStorage.getItem(keyOf(userId));
  } catch {
    return null;
  }
}

function parse(text: string | null): UnreportedPayment | null {
  try {
    const stored: unknown = JSON.parse(text ?? 'null');
    return isUnreportedPayment(stored) ? stored : null;
  } catch {
    return null;
  }
}

const kinds = {
  transactionId: 'string',
  amount: 'number',
  credits: 'number',
  plan: 'string',
  phoneOptional: 'boolean',
  startedAt: 'number',
};

function isUnreportedPayment(stored: unknown): stored is UnreportedPayment {
  if (typeof stored !== 'object' || stored === null) return false;
  return Object.entries(kinds).every(([name, kind]) => typeof Reflect.get(stored, name) === kind);
}
