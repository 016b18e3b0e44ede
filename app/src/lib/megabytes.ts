import { once } from './once';

const format = once(
  () => new Intl.NumberFormat('en-IN', { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
);

/** Writes a number of bytes in megabytes, such as 4.8. */
export function megabytes(bytes: number): string {
  return format().format(bytes / 1_000_000);
}
