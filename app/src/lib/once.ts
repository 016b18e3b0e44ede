/**
 * A value that is made when it is first asked for. For formatters: their tables of a locale take a slow phone 50 to 100
 * ms, which a first screen without dates and sums need not wait for.
 */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
