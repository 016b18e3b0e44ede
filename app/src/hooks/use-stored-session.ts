import { useSyncExternalStore } from 'react';
import { hasStoredSession } from '@/lib/stored-session';

/**
 * Whether somebody may be signed in on this device: what a public page knows without the API. The ready-made page is a
 * visitor's until it is hydrated.
 */
export function useStoredSession(): boolean {
  return useSyncExternalStore(onOtherTabs, hasStoredSession, () => false);
}

/** Another tab has signed in or out. */
function onOtherTabs(changed: () => void) {
  window.addEventListener('storage', changed);
  return () => {
    window.removeEventListener('storage', changed);
  };
}
