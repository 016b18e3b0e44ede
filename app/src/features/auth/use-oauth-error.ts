import { useEffect } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { errorMessageOf } from '@/lib/auth-errors';
import { t, useI18n } from '@/lib/i18n';
import { oauthErrorIn } from '@/lib/oauth-error';
import { toast } from '@/lib/toast';
import { errorMessages } from './error-messages';

/**
 * Shows the OAuth error in the address with the provider's message (SPECIFICATION.md S-144). The
 * message is quoted, because anybody can write an address. The error is removed from the address,
 * unless the user is signed in and leaves the page anyway.
 */
export function useOAuthError(isLeaving: boolean): void {
  const { t } = useI18n();
  const { pathname, search, hash } = useLocation();
  const navigate = useNavigate();
  useEffect(() => {
    const error = oauthErrorIn({ search, hash });
    if (!error) return;
    const { code, message } = error;
    const description = message
      ? errorMessageOf(errorMessages, { code, message: quoted(message) })
      : t('common.unexpected');
    toast.error({ title: t('auth.googleFailed'), description });
    if (!isLeaving) void navigate(pathname, { replace: true });
  }, [pathname, search, hash, isLeaving, navigate, t]);
}

/** Nothing in the message may end the quotation. */
function quoted(message: string): string {
  return t('auth.providerWrote', { message: message.replace(/["“”„«»]/g, "'") });
}
