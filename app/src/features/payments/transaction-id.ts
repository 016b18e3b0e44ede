/**
 * Returns `MANUAL_`, the time in milliseconds and a random suffix (SPECIFICATION.md S-171). UPI
 * allows 35 characters.
 */
export function manualTransactionId(now: number, random: () => number): string {
  const suffix = Math.floor(random() * 36 ** 6)
    .toString(36)
    .padStart(6, '0');
  return `MANUAL_${now}${suffix}`;
}

/** Returns `UPI_` and the time in milliseconds, for plans (SPECIFICATION.md S-298). */
export function planTransactionId(now: number): string {
  return `UPI_${now}`;
}
