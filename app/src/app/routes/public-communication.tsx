import { PublicPage } from '@/components/public-page';
import { CommunicationPreview } from '@/features/previews/components/communication-preview';
import { useI18n } from '@/lib/i18n';

export default function PublicCommunicationRoute() {
  const { t, language } = useI18n();
  return (
    <PublicPage
      language={language}
      title={t('preview.messageTitle')}
      description={t('preview.messageDescription')}
    >
      <CommunicationPreview />
    </PublicPage>
  );
}
