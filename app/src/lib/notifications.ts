const storageKey = 'notifications';

/**
 * Whether short messages are wanted on this device; they are unless it was said otherwise (SPECIFICATION.md
 * S-314).
 */
export function notificationsWanted(): boolean {
  try {
    return localStorage.getItem(storageKey) !== 'false';
  } catch {
    return true;
  }
}

export function wantNotifications(wanted: boolean): void {
  try {
    localStorage.setItem(storageKey, String(wanted));
  } catch {
    // The choice then holds until the page is closed.
  }
}
