import { useSyncExternalStore } from 'react';
import { queryClient } from '@/lib/query-client';

const cache = queryClient.getQueryCache();

function subscribe(listener: () => void): () => void {
  return cache.subscribe(listener);
}

function isInTrouble(): boolean {
  return cache.getAll().some((query) => query.state.status === 'error' && query.isActive());
}

/** Whether something that the screen shows could not be read from the API. */
export function useTrouble(): boolean {
  return useSyncExternalStore(subscribe, isInTrouble, () => false);
}
