import { useSyncExternalStore } from 'react';
import { queryClient } from '@/lib/query-client';
import { isLacking } from './use-lack';

const cache = queryClient.getQueryCache();

function subscribe(listener: () => void): () => void {
  return cache.subscribe(listener);
}

function isInTrouble(): boolean {
  return cache
    .getAll()
    .some((query) => query.isActive() && (query.state.status === 'error' || isLacking(query.state)));
}

/** Whether something that the screen shows could not be read from the API, also while that is asked again. */
export function useTrouble(): boolean {
  return useSyncExternalStore(subscribe, isInTrouble, () => false);
}
