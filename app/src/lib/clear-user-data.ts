/** What screens keep on this device for a user, each under a key that ends with the user's id. */
const keyPrefixes = ['draft.', 'pending.'];

/** In place of a user's id, who fills in a form without an account: it lasts no longer than the tab. */
export const visitorId = 'visitor';

/**
 * Forgets what a user typed here: forms, and requests on their way, of which the server keeps what was paid. A payment under way
 * stays, since only this device knows of it.
 */
export function clearUserData(userId: string): void {
  try {
    clearIn(localStorage, userId);
    clearIn(sessionStorage, visitorId);
    // Where earlier versions kept what visitors typed.
    clearIn(localStorage, visitorId);
  } catch {
    // A browser that keeps nothing has nothing to forget.
  }
}

function clearIn(storage: Storage, userId: string): void {
  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '');
  const own = keys.filter((key) => key.endsWith(`.${userId}`));
  for (const key of own) if (keyPrefixes.some((prefix) => key.startsWith(prefix))) storage.removeItem(key);
}
