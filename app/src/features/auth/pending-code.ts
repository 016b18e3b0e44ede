import { fieldOf, textOf } from '@/lib/unknown-fields';

const storageKey = 'awaited-code';

/** How long a mailed code is good for: `auth.email.otp_expiry` of supabase/config.toml. Milliseconds. */
const validForMs = 10 * 60 * 1_000;

/** The address that a code is on its way to, while it can be good: a phone drops the page while the mail is looked for. */
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
    // Then a reload begins with the address again.
  }
}

export function clearPendingCode(): void {
  try {
    sessionStorage.removeItem(storageKey);
  } catch {
    // Nothing was stored then.
  }
}
