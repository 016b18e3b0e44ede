import { fieldOf, textOf } from './unknown-fields';

/** The key under which supabase-js stores the session. */
export const sessionStorageKey = 'session';

/** The key under which it stores the code verifier of a sign-in with a provider. */
export const verifierStorageKey = `${sessionStorageKey}-code-verifier`;

/** The path to which a sign-in with a provider returns (SPECIFICATION.md S-144). */
export const returnPath = '/home';

/**
 * Returns the id of the user who is signed in on this device now, because another tab may have
 * changed it. It is null if nobody is. It is undefined if the browser has no storage, so that each
 * page has its own session.
 */
export function storedUserId(): string | null | undefined {
  try {
    return textOf(fieldOf(read(localStorage.getItem(sessionStorageKey)), 'user'), 'id') ?? null;
  } catch {
    return undefined;
  }
}

/**
 * Removes the session from this device and returns its token, with which the server can still be
 * called. Throws if the device cannot remove it.
 */
export function removeStoredSession(): string | undefined {
  const text = storedText(sessionStorageKey);
  if (text === null) return undefined;
  localStorage.removeItem(sessionStorageKey);
  return tokenIn(text);
}

/** Returns null also if the browser has no storage. */
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

/** Whether somebody may be signed in here. Public pages load the API's client only then. */
export function hasStoredSession(): boolean {
  return storedText(sessionStorageKey) !== null;
}

/** Whether a sign-in that this device began may still come back. */
export function hasBegunSignIn(): boolean {
  return storedText(verifierStorageKey) !== null;
}
