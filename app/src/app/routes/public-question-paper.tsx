import { PublicPage } from '@/components/public-page';
import { QuestionPaperPreview } from '@/features/previews/components/question-paper-preview';
import { useI18n } from '@/lib/i18n';

export default function PublicQuestionPaperRoute() {
  const { t, language } = useI18n();
  return (
    <PublicPage
      language={language}
      title={t('preview.paperTitle')}
      description={t('preview.paperDescription')}
    >
      <QuestionPaperPreview />
    </PublicPage>
  );
}
