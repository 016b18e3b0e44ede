import { TabScreen } from '@/components/tab-screen';
import { DangerZone } from '@/features/account/components/danger-zone';
import { ProfileCard } from '@/features/account/components/profile-card';
import { usePageHead } from '@/hooks/use-page-head';
import { useI18n } from '@/lib/i18n';
import { useSession, useUser } from '@/lib/session';

export default function ProfileRoute() {
  const { t } = useI18n();
  const user = useUser();
  const { signOut } = useSession();
  usePageHead(t('profilePage.title'), 'private');
  return (
    <TabScreen title={t('profilePage.title')}>
      <ProfileCard userId={user.id} />
      <DangerZone userId={user.id} onDeleted={signOut} />
    </TabScreen>
  );
}
