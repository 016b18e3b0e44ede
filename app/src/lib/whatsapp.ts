/**
 * Returns the address that opens a chat with `greeting` typed
 * in. `number` has digits only, with the country code.
 */
export function whatsappLink(number: string, greeting: string): string {
  return `https://wa.me/${number}?text=${encodeURIComponent(greeting)}`;
}
