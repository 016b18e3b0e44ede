import { useState } from 'react';

interface Reading {
  data: unknown;
  errorUpdateCount: number;
}

/** Whether a query has nothing to show though it was asked: asked again, it calls itself pending and forgets why. */
export function hasLoadError({ data, errorUpdateCount }: Reading): boolean {
  return data === undefined && errorUpdateCount > 0;
}

/**
 * Why a query has nothing to show, from its first failure until it has something. What was read once stays on the screen,
 * however the next reading ends: the notice above says that it may be old (`useTrouble`).
 */
export function useLoadError<Failure extends Error>(
  query: Reading & { error: Failure | null },
): Failure | null {
  const { error } = query;
  const [last, setLast] = useState(error);
  if (error && error !== last) setLast(error);
  return hasLoadError(query) ? (error ?? last) : null;
}
