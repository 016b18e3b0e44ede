const storageKey = 'notifications';

/**
 * Whether this device shows short messages. It does unless the user said otherwise
 * (SPECIFICATION.md S-314).
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
    // Then the choice lasts until the page is closed.
  }
}
