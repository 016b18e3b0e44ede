import { useOnline } from '@/hooks/use-online';
import { useConnectionProblem } from '@/hooks/use-connection-problem';
import { useI18n } from '@/lib/i18n';
import { useSession } from '@/lib/session';
import { NoticeBar } from './notice-bar';

/** Says that the API does not answer while the device itself has a network; the queries and the client ask again by themselves. */
export function ConnectionProblemBar() {
  const { t } = useI18n();
  const online = useOnline();
  const { session } = useSession();
  const hasProblem = useConnectionProblem() || session.status === 'unreachable';
  return <NoticeBar>{online && hasProblem ? t('common.connectionProblem') : null}</NoticeBar>;
}
