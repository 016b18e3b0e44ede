import { QueryClient, type Query } from '@tanstack/react-query';

const retryAfterMs = 6_000;

/** When a query is asked again by itself: what failed in some seconds, what is there after the milliseconds that it says. */
export function refetchAfter<Data>(pause: (data: Data | undefined) => number | false) {
  return ({ state }: Query<Data>): number | false =>
    state.status === 'error' ? retryAfterMs : pause(state.data);
}

/** Nothing is tried twice in a row; what failed and is still shown is asked for again every few seconds. */
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
