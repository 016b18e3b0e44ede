import { useOnline } from '@/hooks/use-online';
import { useConnectionProblem } from '@/hooks/use-connection-problem';
import { useI18n } from '@/lib/i18n';
import { useSession } from '@/lib/session';
import { NoticeBar } from './notice-bar';

/**
 * Says that the API does not answer although the device has a network. The queries and the client
 * retry by themselves.
 */
export function ConnectionProblemBar() {
  const { t } = useI18n();
  const online = useOnline();
  const { session } = useSession();
  const hasProblem = useConnectionProblem() || session.status === 'unreachable';
  return <NoticeBar>{online && hasProblem ? t('common.unreachable') : null}</NoticeBar>;
}
