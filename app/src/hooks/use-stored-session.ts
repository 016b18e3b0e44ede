import { useSyncExternalStore } from 'react';
import { hasStoredSession } from '@/lib/stored-session';

/**
 * Whether somebody may be signed in on this device, which a public page knows without the API. The
 * prerendered page is a visitor's until hydration.
 */
export function useStoredSession(): boolean {
  return useSyncExternalStore(onOtherTabs, hasStoredSession, () => false);
}

/** Calls back when another tab has signed in or out. */
function onOtherTabs(changed: () => void) {
  window.addEventListener('storage', changed);
  return () => {
    window.removeEventListener('storage', changed);
  };
}
