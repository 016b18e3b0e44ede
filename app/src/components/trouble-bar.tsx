import { useOnline } from '@/hooks/use-online';
import { useTrouble } from '@/hooks/use-trouble';
import { useI18n } from '@/lib/i18n';
import { useSession } from '@/lib/session';
import { NoticeBar } from './notice-bar';

/** Says that the API does not answer while the device itself has a network; the queries and the client ask again by themselves. */
export function TroubleBar() {
  const { t } = useI18n();
  const online = useOnline();
  const { session } = useSession();
  const trouble = useTrouble() || session.status === 'unreachable';
  return <NoticeBar>{online && trouble ? t('common.trouble') : null}</NoticeBar>;
}
