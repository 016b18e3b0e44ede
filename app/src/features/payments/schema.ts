export const phoneLength = 10;

/** Returns the typed digits, at most ten (SPECIFICATION.md S-169). */
export function digitsOfPhone(text: string): string {
  return text.replace(/\D/g, '').slice(0, phoneLength);
}

/**
 * Returns the typed amount if it is a whole number of
 * rupees above 0, else null (SPECIFICATION.md S-164).
 */
export function parseAmount(text: string): number | null {
  if (!/^\d{1,6}$/.test(text.trim())) return null;
  const amount = Number(text);
  return amount > 0 ? amount : null;
}
