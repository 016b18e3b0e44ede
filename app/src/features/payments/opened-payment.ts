import { useMemo, useSyncExternalStore } from 'react';

/** A payment that may have been made in another app and was not reported yet. */
export interface OpenedPayment {
  transactionId: string;
  /** Rupees. */
  amount: number;
  credits: number;
  /** The plan's name; empty where credits are bought without one. */
  plan: string;
  /** It may be reported without a phone number (SPECIFICATION.md S-282). */
  phoneOptional: boolean;
  /** Milliseconds. */
  startedAt: number;
}

const listeners = new Set<() => void>();
const keyOf = (userId: string) => `payment.${userId}`;

/** Keeps a payment on the device: a phone may drop the page while its owner pays in another app. */
export function keepOpened(userId: string, payment: OpenedPayment): void {
  change((storage) => {
    storage.setItem(keyOf(userId), JSON.stringify(payment));
  });
}

/** After it was reported, or said not to be paid. */
export function forgetOpened(userId: string): void {
  change((storage) => {
    storage.removeItem(keyOf(userId));
  });
}

/** The payment that the user began on this device and nobody was told of, or null. */
export function openedPayment(userId: string): OpenedPayment | null {
  return parse(textOf(userId));
}

export function useOpenedPayment(userId: string): OpenedPayment | null {
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
    // Without room on the device only a dropped page forgets the payment.
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

function parse(text: string | null): OpenedPayment | null {
  try {
    const kept: unknown = JSON.parse(text ?? 'null');
    return isOpened(kept) ? kept : null;
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

function isOpened(kept: unknown): kept is OpenedPayment {
  if (typeof kept !== 'object' || kept === null) return false;
  return Object.entries(kinds).every(([name, kind]) => typeof Reflect.get(kept, name) === kind);
}
