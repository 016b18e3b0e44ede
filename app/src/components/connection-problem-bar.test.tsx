import { useQuery } from '@tanstack/react-query';
import { act, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { showRoute } from '@/test/show-route';
import { ConnectionProblemBar } from './connection-problem-bar';

const notice = () => screen.queryByText('We cannot reach our server. Trying again by itself.');

// rows: S-425
test('the notice stays while failed queries are read again', async () => {
  vi.useFakeTimers();
  const readings: { give: (data: string) => void; fail: () => void }[] = [];
  function Screen() {
    const { data } = useQuery({
      queryKey: ['screen'],
      queryFn: () =>
        new Promise<string>((give, refuse) => {
          readings.push({
            give,
            fail: () => {
              refuse(new Error('down'));
            },
          });
        }),
    });
    return data;
  }
  const pass = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds));
  showRoute(
    <>
      <ConnectionProblemBar />
      <Screen />
    </>,
  );
  expect(notice()).toBeNull();
  for (const asked of [1, 2]) {
    expect(readings).toHaveLength(asked);
    readings.at(-1)?.fail();
    await pass(1);
    expect(notice()).toBeInTheDocument();
    await pass(6_000);
    expect(notice(), 'while it is asked for again').toBeInTheDocument();
  }
  readings.at(-1)?.give('read');
  await pass(1);
  expect(screen.getByText('read')).toBeInTheDocument();
  expect(notice()).toBeNull();
});
