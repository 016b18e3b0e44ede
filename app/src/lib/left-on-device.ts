/** What screens keep on this device for a user, each under a key that ends with the user's id. */
const typed = ['draft.', 'pending.'];

/**
 * Forgets what a user typed here: forms, and requests on their way, of which the server keeps what was paid. A payment under way
 * stays, since only this device knows of it.
 */
export function forgetTyped(userId: string): void {
  try {
    const keys = Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index) ?? '');
    const own = keys.filter((key) => key.endsWith(`.${userId}`));
    for (const key of own) if (typed.some((kind) => key.startsWith(kind))) localStorage.removeItem(key);
  } catch {
    // A browser that keeps nothing has nothing to forget.
  }
}
