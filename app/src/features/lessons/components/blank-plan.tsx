import type { ReactNode } from 'react';
import { BlankSheet, BookLine } from '@/builder/components/blank-parts';
import { word } from '@/builder/document-words';
import { useBlankWords } from '@/builder/use-blank-words';
import { useI18n } from '@/lib/i18n';
import { loadBlankWords } from '../blank-words';
import { periodPlan } from '../period-plan';
import type { LessonPlanForm } from '../schema';

interface BlankPlanProps {
  values: LessonPlanForm;
  /** The language of the document, as ISO 639-1. */
  language: string;
  /** When the generation started, or null. */
  startedAt: number | null;
  /** The headings that follow a sample, once it is read. */
  followed: readonly string[];
}

/** The preview of the plan: its heading and parts, with ruled blanks in place of the content. */
export default function BlankPlan({ values, language, startedAt, followed }: BlankPlanProps): ReactNode {
  const { t, language: shown } = useI18n();
  const { words, ...blanks } = useBlankWords(loadBlankWords, language);
  const usual = [
    { title: blanks.say('outcomes', 'document.outcomes') },
    { title: blanks.say('keyTerms', 'document.keyTerms') },
    ...periodPlan(values.periods).map((step, index) => {
      const no = String(index + 1);
      // The steps are words of the interface. In another language the sheet has a blank for them.
      const subtopic = language === shown ? t(step) : '__________';
      const title = words
        ? word(words, 'period', { no, subtopic })
        : `${t('document.period', { number: no })}: ${subtopic}`;
      return { title };
    }),
  ];
  const parts = followed.length > 0 ? followed.map((title) => ({ title })) : usual;
  return (
    <BlankSheet values={values} language={language} blanks={blanks} parts={parts} startedAt={startedAt}>
      <BookLine values={values} blanks={blanks} />
    </BlankSheet>
  );
}
