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

/** Whether a query of the current screen failed, also while it is read again. */
export function useConnectionProblem(): boolean {
  return useSyncExternalStore(subscribe, hasConnectionProblem, () => false);
}
