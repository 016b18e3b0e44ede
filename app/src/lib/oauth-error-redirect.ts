import { hasBegunSignIn } from './stored-session';

/**
 * Returns the address of /auth with the OAuth error of another address. It is null for an address
 * without one. It is also null on a device that began no sign-in, where the link is somebody else's
 * or has another meaning of `error`. Every page calls it, so it reads no more than that.
 */
export function oauthErrorRedirect({ search, hash }: { search: string; hash: string }): string | null {
  return /[?#&]error=/.test(search + hash) && hasBegunSignIn() ? `/auth${search}${hash}` : null;
}
