import { hasBegunSignIn } from './stored-session';

/**
 * The address where the refusal that another one carries is told; null for one without, and for a link that somebody else
 * made, or that means another `error`, on a device that began no sign-in. Every page asks it: it reads no more than that.
 */
export function oauthErrorRedirect({ search, hash }: { search: string; hash: string }): string | null {
  return /[?#&]error=/.test(search + hash) && hasBegunSignIn() ? `/auth${search}${hash}` : null;
}
