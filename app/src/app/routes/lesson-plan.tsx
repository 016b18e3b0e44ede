import { LessonPlanBuilder } from '@/features/lessons/components/lesson-plan-builder';
import { useI18n } from '@/lib/i18n';
import { BuilderScreen } from '../builder-screen';
import { insufficient } from '../insufficient';

export default function LessonPlanRoute() {
  const { t } = useI18n();
  return (
    <BuilderScreen
      title={t('tools.lessonPlan')}
      policy="client"
      tooFew={insufficient}
      builder={(means) => <LessonPlanBuilder {...means} />}
    />
  );
}
