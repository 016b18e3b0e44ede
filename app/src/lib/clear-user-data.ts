/**
 * The prefixes of the keys that screens store on this
 * device for a user. A key ends with the user's id.
 */
const keyPrefixes = ['draft.', 'pending.', 'sample.'];

/** Replaces a user's id for visitors. Their data lasts no longer than the tab. */
export const visitorId = 'visitor';

/**
 * Clears what a user left here: forms, samples, and pending requests, whose paid results the server
 * keeps.
 * A payment under way stays, because only this device knows of it.
 */
export function clearUserData(userId: string): void {
  try {
    clearIn(localStorage, userId);
    clearIn(sessionStorage, visitorId);
    // Earlier versions stored the data of visitors here.
    clearIn(localStorage, visitorId);
  } catch {
    // A browser without storage has nothing to clear.
  }
}

function clearIn(storage: Storage, userId: string): void {
  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '');
  const own = keys.filter((key) => key.endsWith(`.${userId}`));
  for (const key of own) if (keyPrefixes.some((prefix) => key.startsWith(prefix))) storage.removeItem(key);
}
