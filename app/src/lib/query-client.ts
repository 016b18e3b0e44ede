import { QueryClient, type Query } from '@tanstack/react-query';

const retryAfterMs = 6_000;

/**
 * Returns when a query is read again by itself: after some seconds if it failed, else after the
 * milliseconds of `pause`.
 */
export function refetchAfter<Data>(pause: (data: Data | undefined) => number | false) {
  return ({ state }: Query<Data>): number | false =>
    state.status === 'error' ? retryAfterMs : pause(state.data);
}

/** No query is retried at once. A failed query on the screen is read again every few seconds. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: false,
      staleTime: 30_000,
      refetchInterval: refetchAfter(() => false),
    },
    mutations: { retry: false },
  },
});
