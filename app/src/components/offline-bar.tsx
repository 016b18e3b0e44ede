import { useOnline } from '@/hooks/use-online';
import { useI18n } from '@/lib/i18n';
import { NoticeBar } from './notice-bar';

/** A thin bar while the device has no network. Forms stay usable. */
export function OfflineBar() {
  const { t } = useI18n();
  const online = useOnline();
  return <NoticeBar>{online ? null : t('common.offline')}</NoticeBar>;
}
