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

/** Returns `₹1,25,000`. */
export function formatRupees(amount: number): string {
  return isCount(amount) ? `₹${grouped(amount)}` : rupees().format(amount);
}

/** Returns `1,25,000`. */
export function formatNumber(value: number): string {
  return isCount(value) ? grouped(value) : numbers().format(value);
}

/**
 * Nearly all numbers are. The number tables of the browser
 * give the same result and take a slow phone 100 ms.
 */
function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d\d)*\d{3}$)/g, ',');
}
