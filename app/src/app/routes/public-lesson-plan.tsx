import { PublicPage } from '@/components/public-page';
import { LessonPlanPreview } from '@/features/previews/components/lesson-plan-preview';

export default function PublicLessonPlanRoute() {
  return (
    <PublicPage
      title="AI Lesson Plan Generator"
      description="Try the form for a lesson plan: 1 to 5 periods, with outcomes, board work, questions to ask and homework. The first 20 credits are on us."
    >
      <LessonPlanPreview />
    </PublicPage>
  );
}
