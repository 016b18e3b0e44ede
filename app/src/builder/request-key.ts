import { documentKey } from './submission';
import type { RequestBody } from './tool';

/**
 * The key of a request: the same for an unchanged form, so that pressing again within ten minutes, in this tab or in
 * another one, hands out the stored document and the fresh charge goes back (SPECIFICATION.md D08).
 */
export async function requestKey(request: RequestBody): Promise<string> {
  const text = new TextEncoder().encode(documentKey(request));
  const digest = await crypto.subtle.digest('SHA-256', text);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
