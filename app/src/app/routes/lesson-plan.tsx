import { LessonPlanBuilder } from '@/features/lessons/components/lesson-plan-builder';
import { useI18n } from '@/lib/i18n';
import { BuilderScreen } from '../builder-screen';

export default function LessonPlanRoute() {
  const { t } = useI18n();
  return (
    <BuilderScreen
      title={t('tools.lessonPlan')}
      policy="client"
      builder={(means) => <LessonPlanBuilder {...means} />}
    />
  );
}
