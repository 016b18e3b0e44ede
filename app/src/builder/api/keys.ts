import type { RequestBody } from '../tool';

export const builderKeys = {
  estimate: (functionName: string, request: RequestBody | null) =>
    ['builder', functionName, 'estimate', request] as const,
  history: (functionName: string, userId: string) => ['builder', functionName, 'history', userId] as const,
};

/** Whether a query is the history of that user in any of the tools. */
export function isHistoryOf(userId: string) {
  return ({ queryKey: [area, , part, owner] }: { queryKey: readonly unknown[] }): boolean =>
    area === 'builder' && part === 'history' && owner === userId;
}
