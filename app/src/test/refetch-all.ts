import { act } from '@testing-library/react';
import { queryClient } from '@/lib/query-client';

/** Reads everything on the screen again and shows how that ended; the number of readings that failed. */
export async function refetchAll(): Promise<number> {
  await act(async () => {
    await queryClient.refetchQueries({ type: 'active' });
    // Screens are told of it in a task of its own.
    await new Promise((resolve) => setTimeout(resolve, 10));
  });
  const queries = queryClient.getQueryCache().getAll();
  return queries.filter(({ state }) => state.status === 'error').length;
}
