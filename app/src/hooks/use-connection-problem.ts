import { useSyncExternalStore } from 'react';
import { queryClient } from '@/lib/query-client';
import { hasLoadError } from './use-load-error';

const cache = queryClient.getQueryCache();

function subscribe(listener: () => void): () => void {
  return cache.subscribe(listener);
}

function hasConnectionProblem(): boolean {
  return cache
    .getAll()
    .some((query) => query.isActive() && (query.state.status === 'error' || hasLoadError(query.state)));
}

/** Whether something that the screen shows could not be read from the API, also while that is asked again. */
export function useConnectionProblem(): boolean {
  return useSyncExternalStore(subscribe, hasConnectionProblem, () => false);
}
