import { useState } from 'react';

interface Reading {
  data: unknown;
  errorUpdateCount: number;
}

/**
 * Whether a query has failed and has no data. A query
 * that is read again is pending and has lost its error.
 */
export function hasLoadError({ data, errorUpdateCount }: Reading): boolean {
  return data === undefined && errorUpdateCount > 0;
}

/**
 * Returns the error of a query without data, from its first failure until it has data. Data that
 * was read once stays on the screen, whatever the next read does. The notice above says that it may
 * be old (`useConnectionProblem`).
 */
export function useLoadError<Failure extends Error>(
  query: Reading & { error: Failure | null },
): Failure | null {
  const { error } = query;
  const [last, setLast] = useState(error);
  if (error && error !== last) setLast(error);
  return hasLoadError(query) ? (error ?? last) : null;
}
