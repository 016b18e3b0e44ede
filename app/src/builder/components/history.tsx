import { lazy, Suspense } from 'react';
import { fetchPastDocument } from '../api/history';
import type { Tool } from '../tool';

/** The history loads after the form, and the form works without it. */
const HistoryList = lazy(() => import('./history-list').catch(() => ({ default: () => null })));

interface HistoryProps<Form, Content> {
  tool: Tool<Form, Content>;
  userId: string;
}

/** The documents of the last 24 hours. */
export function History<Form, Content>({ tool, userId }: HistoryProps<Form, Content>) {
  return (
    <Suspense>
      <HistoryList
        functionName={tool.functionName}
        userId={userId}
        fetchWhole={(id) => fetchPastDocument(tool, id)}
      />
    </Suspense>
  );
}
