import { fieldOf, textOf } from './unknown-fields';

/** Where supabase-js keeps the session on this device. */
export const sessionStorageKey = 'session';

/** Where it keeps the half of a secret that the return of a sign-in elsewhere is exchanged with. */
export const verifierStorageKey = `${sessionStorageKey}-code-verifier`;

/** Where a sign-in elsewhere comes back to (SPECIFICATION.md S-144). */
export const returnPath = '/home';

/**
 * Who is signed in on this device at this moment, null without anybody: another tab may have changed it. Undefined where
 * the browser keeps nothing, so that each page has a session of its own.
 */
export function storedUserId(): string | null | undefined {
  try {
    return textOf(fieldOf(read(localStorage.getItem(sessionStorageKey)), 'user'), 'id') ?? null;
  } catch {
    return undefined;
  }
}

/**
 * Takes the session from this device, and gives the token by which the server can still be told. Throws where the device
 * does not let it go.
 */
export function takeStoredSession(): string | undefined {
  const text = storedText(sessionStorageKey);
  if (text === null) return undefined;
  localStorage.removeItem(sessionStorageKey);
  return tokenIn(text);
}

/** Null also where the browser keeps nothing. */
function storedText(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function tokenIn(text: string): string | undefined {
  try {
    return textOf(read(text), 'access_token');
  } catch {
    return undefined;
  }
}

function read(text: string | null): unknown {
  return JSON.parse(text ?? 'null');
}

/** Whether somebody may be signed in here: asked by public pages, which load the API's client only then. */
export function hasStoredSession(): boolean {
  return storedText(sessionStorageKey) !== null;
}

/** Whether a sign-in that this device began may still come back. */
export function hasBegunSignIn(): boolean {
  return storedText(verifierStorageKey) !== null;
}
