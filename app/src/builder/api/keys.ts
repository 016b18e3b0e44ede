import type { RequestBody } from '../tool';

export const builderKeys = {
  forecast: (functionName: string, request: RequestBody | null) =>
    ['builder', functionName, 'forecast', request] as const,
  history: (functionName: string, userId: string) => ['builder', functionName, 'history', userId] as const,
};
