import { PublicPage } from '@/components/public-page';
import { TeachingAidsPreview } from '@/features/previews/components/teaching-aids-preview';
import { useI18n } from '@/lib/i18n';

export default function PublicTeachingAidsRoute() {
  const { t, language } = useI18n();
  return (
    <PublicPage language={language} title={t('preview.aidsTitle')} description={t('preview.aidsDescription')}>
      <TeachingAidsPreview />
    </PublicPage>
  );
}
