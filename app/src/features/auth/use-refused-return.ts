import { useEffect } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { sentenceOf } from '@/lib/auth-refusal';
import { t, useI18n } from '@/lib/i18n';
import { refusalIn } from '@/lib/refused-return';
import { toast } from '@/lib/toast';
import { sentences } from './refusals';

/**
 * Tells what a provider refused with the provider's message (SPECIFICATION.md S-144), as a quotation, since
 * anybody can write an address. It is taken out of the address, which who is signed in all the same leaves by
 * itself.
 */
export function useRefusedReturn(isLeaving: boolean): void {
  const { t } = useI18n();
  const { pathname, search, hash } = useLocation();
  const navigate = useNavigate();
  useEffect(() => {
    const refused = refusalIn({ search, hash });
    if (!refused) return;
    const { code, message } = refused;
    const description = message
      ? sentenceOf(sentences, { code, message: quoted(message) })
      : t('common.unexpected');
    toast.error({ title: t('auth.googleFailed'), description });
    if (!isLeaving) void navigate(pathname, { replace: true });
  }, [pathname, search, hash, isLeaving, navigate, t]);
}

/** Nothing in it ends the quotation. */
function quoted(message: string): string {
  return t('auth.providerWrote', { message: message.replace(/["“”„«»]/g, "'") });
}
