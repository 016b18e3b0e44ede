import { PaperSheet } from '@/builder/components/paper-sheet';
import { useWords } from '@/builder/document-words';
import type { GeneratedDocument } from '@/builder/tool';
import { useI18n } from '@/lib/i18n';
import type { LessonPlanDocument } from '../document-schema';
import { loadLessonWords } from '../lesson-words';
import { DocumentBody } from './document-body';

/** The finished plan on paper, from its structure, or its plain text if that is impossible. */
export function PlanDocument({ plan }: { plan: GeneratedDocument<LessonPlanDocument> }) {
  const { t } = useI18n();
  const language = plan.content?.language;
  const words = useWords(loadLessonWords, language);
  return (
    <PaperSheet label={t('lesson.document')} lang={language ?? plan.language}>
      {plan.content && words ? <DocumentBody document={plan.content} words={words} /> : null}
      {plan.content && words !== null ? null : <p className="whitespace-pre-wrap">{plan.text}</p>}
    </PaperSheet>
  );
}
