import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { useDebouncedEstimate } from './use-debounced-estimate';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** How many estimates are asked for after each of these times in milliseconds. */
async function asked(sample: string, times: readonly number[]) {
  const estimate = vi.fn(() => Promise.resolve(null));
  const tool = { functionName: 'generate-lesson-plan', checks: () => Promise.resolve({ estimate }) };
  const client = new QueryClient();
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  const hook = renderHook(({ request }) => useDebouncedEstimate(tool, request), {
    wrapper,
    initialProps: { request: { chapter: 'L', referencePlanUrl: sample } },
  });
  await act(() => vi.advanceTimersByTimeAsync(10_000));
  const before = estimate.mock.calls.length;
  hook.rerender({ request: { chapter: 'Li', referencePlanUrl: sample } });
  const counts: number[] = [];
  for (const time of times) {
    await act(() => vi.advanceTimersByTimeAsync(time));
    counts.push(estimate.mock.calls.length - before);
  }
  hook.unmount();
  return counts;
}

// rows: S-204
test('a form with a sample rests for longer before its next estimate', async () => {
  expect(await asked('', [500, 500])).toEqual([0, 1]);
  expect(await asked('user/file.pdf', [2_000, 1_000])).toEqual([0, 1]);
});
