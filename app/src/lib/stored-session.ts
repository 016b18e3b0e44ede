import { fieldOf, textOf } from './unknown-fields';

/** Where supabase-js keeps the session on this device. */
export const sessionStorageKey = 'session';

/** Who is signed in on this device at this moment, null without anybody: another tab may have changed it. */
export function storedUserId(): string | null {
  try {
    const session: unknown = JSON.parse(localStorage.getItem(sessionStorageKey) ?? 'null');
    return textOf(fieldOf(session, 'user'), 'id') ?? null;
  } catch {
    return null;
  }
}

/** Whether somebody may be signed in here: asked by public pages, which load the API's client only then. */
export function hasStoredSession(): boolean {
  try {
    return localStorage.getItem(sessionStorageKey) !== null;
  } catch {
    return false;
  }
}
