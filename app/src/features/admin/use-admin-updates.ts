import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { followTopic } from '@/lib/live-topic';
import { adminKeys } from './api/keys';

/** Messages that come within this time cause one read. */
const readAfterMs = 500;

/** What the topic of administrators tells about. */
const lists = ['payments', 'generations'] as const;
type List = (typeof lists)[number];

/** Keeps the lists of the panel up to date while it is visible (SPECIFICATION.md S-438). */
export function useAdminUpdates(): void {
  const client = useQueryClient();
  useEffect(() => {
    const due = new Set<List>();
    let timer: number | undefined;
    const readDue = () => {
      timer = undefined;
      for (const list of due) void client.invalidateQueries({ queryKey: adminKeys[list] });
      due.clear();
    };
    const readSoon = (changed: readonly List[]) => {
      for (const list of changed) due.add(list);
      timer ??= window.setTimeout(readDue, readAfterMs);
    };
    const stop = followTopic('admin', {
      onMessage: (event) => {
        readSoon(lists.filter((list) => list === event));
      },
      onGap: () => {
        readSoon(lists);
      },
    });
    return () => {
      stop();
      window.clearTimeout(timer);
    };
  }, [client]);
}
