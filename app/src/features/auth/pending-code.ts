import { fieldOf, textOf } from '@/lib/unknown-fields';

const storageKey = 'awaited-code';

/**
 * How long a mailed code is valid: `auth.email.otp_expiry` of supabase/config.toml. Milliseconds.
 */
const validForMs = 10 * 60 * 1_000;

/**
 * Returns the address that waits for a code while the code is valid. A phone may drop the page
 * while the user reads the mail.
 */
export function pendingCodeEmail(now: number): string | undefined {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? 'null');
    const [email, sentAt] = [textOf(stored, 'email'), fieldOf(stored, 'sentAt')];
    if (email === undefined || typeof sentAt !== 'number') return undefined;
    return now - sentAt < validForMs ? email : undefined;
  } catch {
    return undefined;
  }
}

export function savePendingCode(email: string, now: number): void {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify({ email, sentAt: now }));
  } catch {
    // Then a reload starts with the address again.
  }
}

export function clearPendingCode(): void {
  try {
    sessionStorage.removeItem(storageKey);
  } catch {
    // Nothing was stored then.
  }
}
