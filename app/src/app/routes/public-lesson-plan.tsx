import { PublicPage } from '@/components/public-page';
import { LessonPlanPreview } from '@/features/previews/components/lesson-plan-preview';
import { useI18n } from '@/lib/i18n';

export default function PublicLessonPlanRoute() {
  const { t, language } = useI18n();
  return (
    <PublicPage language={language} title={t('preview.planTitle')} description={t('preview.planDescription')}>
      <LessonPlanPreview />
    </PublicPage>
  );
}
