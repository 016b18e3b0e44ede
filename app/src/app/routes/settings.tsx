import { LogOut } from 'lucide-react';
import { TabScreen } from '@/components/tab-screen';
import { Button } from '@/components/ui/button';
import { Preferences, SettingsLinks } from '@/features/account/components/settings-list';
import { usePageHead } from '@/hooks/use-page-head';
import { useI18n } from '@/lib/i18n';
import { useSession } from '@/lib/session';
import { toast } from '@/lib/toast';

export default function SettingsRoute() {
  const { t } = useI18n();
  const { signOut } = useSession();
  usePageHead(t('settings.title'), 'private');

  async function leave() {
    try {
      await signOut();
    } catch {
      toast.error({ title: t('settings.signOutFailed') });
    }
  }

  return (
    <TabScreen title={t('settings.title')}>
      <Preferences />
      <SettingsLinks />
      <Button variant="outline" className="mt-2 w-full sm:w-auto sm:justify-self-start" onClick={leave}>
        <LogOut aria-hidden="true" />
        {t('settings.signOut')}
      </Button>
    </TabScreen>
  );
}
