import { PublicPage } from '@/components/public-page';
import { TeachingAidsPreview } from '@/features/previews/components/teaching-aids-preview';

export default function PublicTeachingAidsRoute() {
  return (
    <PublicPage
      title="Teaching Aids"
      description="Try the form for worksheets, practice sheets, flashcards, games, quizzes, study guides and rubrics for your chapter."
    >
      <TeachingAidsPreview />
    </PublicPage>
  );
}
