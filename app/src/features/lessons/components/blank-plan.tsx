import type { ReactNode } from 'react';
import { BlankParts, BlankSheet } from '@/builder/components/blank-parts';
import { word } from '@/builder/document-words';
import { useBlankWords } from '@/builder/use-blank-words';
import { useI18n } from '@/lib/i18n';
import { loadBlankWords } from '../blank-words';
import { periodPlan } from '../period-plan';
import type { LessonPlanForm } from '../schema';

interface BlankPlanProps {
  values: LessonPlanForm;
  /** ISO 639-1, of the document. */
  language: string;
  /** When the plan is being written: since when; else null. */
  startedAt: number | null;
}

/** The heading and the parts of the plan on paper, with ruled blanks where its content will stand. */
export default function BlankPlan({ values, language, startedAt }: BlankPlanProps): ReactNode {
  const { t, language: shown } = useI18n();
  const { words, say, subject, grade } = useBlankWords(loadBlankWords, language);
  const parts = [
    { title: say('outcomes', 'document.outcomes') },
    { title: say('keyTerms', 'document.keyTerms') },
    ...periodPlan(values.periods).map((step, index) => {
      const no = String(index + 1);
      // The steps are words of the interface; in another language the sheet has a blank for them.
      const subtopic = language === shown ? t(step) : '__________';
      const title = words
        ? word(words, 'period', { no, subtopic })
        : `${t('document.period', { number: no })}: ${subtopic}`;
      return { title };
    }),
  ];
  return (
    <BlankSheet label={t('builder.preview')} lang={language}>
      <h2 className="text-center text-[1.0625rem] leading-snug font-bold">
        {subject(values.subject) || say('subject', 'builder.subject')} ·{' '}
        {grade(values.grade) || say('class', 'builder.class')}
      </h2>
      <p className="text-center text-sm">
        {say('chapter', 'document.chapter')}: {values.chapterName.trim() || '__________'}
      </p>
      <p className="mt-1 flex justify-between gap-4 border-b border-paper-ink pb-2.5 text-sm">
        <span className="max-w-[60%] shrink-0">{values.board || say('board', 'builder.board')}</span>
        <span className="min-w-0 text-right">
          {values.book.trim() || say('book', 'builder.book')} (
          {values.publisher.trim() || say('publisher', 'builder.publisher')})
        </span>
      </p>
      <BlankParts parts={parts} startedAt={startedAt} />
    </BlankSheet>
  );
}
