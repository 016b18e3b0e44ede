import { act } from '@testing-library/react';
import { queryClient } from '@/lib/query-client';

/**
 * Reads every query of the screen again and shows the
 * result. Resolves to the number of failed queries.
 */
export async function refetchAll(): Promise<number> {
  await act(async () => {
    await queryClient.refetchQueries({ type: 'active' });
    // Screens are notified in a later task.
    await new Promise((resolve) => setTimeout(resolve, 10));
  });
  const queries = queryClient.getQueryCache().getAll();
  return queries.filter(({ state }) => state.status === 'error').length;
}
