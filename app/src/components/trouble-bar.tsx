import { useOnline } from '@/hooks/use-online';
import { useTrouble } from '@/hooks/use-trouble';
import { useI18n } from '@/lib/i18n';
import { NoticeBar } from './notice-bar';

/** Says that the API does not answer while the device itself has a network; the queries ask again by themselves. */
export function TroubleBar() {
  const { t } = useI18n();
  const online = useOnline();
  const trouble = useTrouble();
  return <NoticeBar>{online && trouble ? t('common.trouble') : null}</NoticeBar>;
}
