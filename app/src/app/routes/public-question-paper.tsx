import { PublicPage } from '@/components/public-page';
import { QuestionPaperPreview } from '@/features/previews/components/question-paper-preview';

export default function PublicQuestionPaperRoute() {
  return (
    <PublicPage
      title="Create Question Paper"
      description="Try the form for a question paper: marks, time, sections, difficulty and question types, with marks that add up and an answer key."
    >
      <QuestionPaperPreview />
    </PublicPage>
  );
}
