import { documentKey } from './submission';
import type { RequestBody } from './tool';

/**
 * Computes the idempotency key of a request. It is the same for an unchanged form, so that a second
 * press within ten minutes, in any tab, gets the stored document and its charge goes back
 * (SPECIFICATION.md D08).
 */
export async function requestKey(request: RequestBody): Promise<string> {
  const text = new TextEncoder().encode(documentKey(request));
  const digest = await crypto.subtle.digest('SHA-256', text);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
