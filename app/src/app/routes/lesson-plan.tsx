import { LessonPlanBuilder } from '@/features/lessons/components/lesson-plan-builder';
import { useI18n } from '@/lib/i18n';
import { BuilderScreen } from '../builder-screen';
import { renderInsufficientDialog } from '../insufficient-dialog';

export default function LessonPlanRoute() {
  const { t } = useI18n();
  return (
    <BuilderScreen
      title={t('tools.lessonPlan')}
      policy="client"
      renderInsufficient={renderInsufficientDialog}
      builder={(props) => <LessonPlanBuilder {...props} />}
    />
  );
}
