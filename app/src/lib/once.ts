/**
 * Returns a function that makes a value on its first call. It is for formatters, whose tables take
 * a slow phone 50 to 100 ms. A first screen without dates and sums need not wait for them.
 */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
