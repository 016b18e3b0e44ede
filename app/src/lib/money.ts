import { once } from './once';

const rupees = once(
  () =>
    new Intl.NumberFormat('en-IN', {
      style: 'currency',
      currency: 'INR',
      maximumFractionDigits: 2,
      minimumFractionDigits: 0,
    }),
);
const numbers = once(() => new Intl.NumberFormat('en-IN'));

/** `₹1,25,000`. */
export function formatRupees(amount: number): string {
  return rupees().format(amount);
}

/** `1,25,000`. */
export function formatNumber(value: number): string {
  // Most balances have no groups.
  if (Number.isInteger(value) && value >= 0 && value < 1_000) return String(value);
  return numbers().format(value);
}
