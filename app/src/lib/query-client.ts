import { QueryClient } from '@tanstack/react-query';

const retryAfterMs = 6_000;

/** Nothing is tried twice in a row; what failed and is still shown is asked for again every few seconds. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: false,
      staleTime: 30_000,
      refetchInterval: (query) => (query.state.status === 'error' ? retryAfterMs : false),
    },
    mutations: { retry: false },
  },
});
