const rupees = new Intl.NumberFormat('en-IN', {
  style: 'currency',
  currency: 'INR',
  maximumFractionDigits: 2,
  minimumFractionDigits: 0,
});
const numbers = new Intl.NumberFormat('en-IN');

/** `₹1,25,000`. */
export function formatRupees(amount: number): string {
  return rupees.format(amount);
}

/** `1,25,000`. */
export function formatNumber(value: number): string {
  return numbers.format(value);
}
