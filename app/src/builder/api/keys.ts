import type { RequestBody } from '../tool';

export const builderKeys = {
  estimate: (functionName: string, request: RequestBody | null) =>
    ['builder', functionName, 'estimate', request] as const,
  history: (functionName: string, userId: string) => ['builder', functionName, 'history', userId] as const,
};
