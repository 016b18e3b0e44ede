import { BlankSheet, BookLine, type BlankPart } from '@/builder/components/blank-parts';
import { word } from '@/builder/document-words';
import { useBlankWords } from '@/builder/use-blank-words';
import { useI18n } from '@/lib/i18n';
import { loadBlankWords } from '../blank-words';
import type { MarksPlan } from '../marks-plan';
import type { PaperForm } from '../schema';

export interface BlankPaperProps {
  values: PaperForm;
  /** The language of the document, as ISO 639-1. */
  language: string;
  plan: MarksPlan | null;
  /** When the generation started, or null. */
  startedAt: number | null;
}

/**
 * The preview of the paper: its heading and sections, with ruled blanks in place of the questions
 * (SPECIFICATION.md D24).
 */
export function BlankPaper({ values, language, plan, startedAt }: BlankPaperProps) {
  const { t, tn } = useI18n();
  const { words, ...blanks } = useBlankWords(loadBlankWords, language);
  const section = (letter: string) => blanks.say('section', 'paper.section', { letter });
  const hours = Number(values.timeHours);
  const planned: BlankPart[] | undefined = plan?.sections.map(({ letter, marks }) => ({
    title: section(letter),
    end: `[${marks}]`,
  }));
  const letters = Array.from('ABCDEF').slice(0, Number(values.numberOfSections));
  const parts = planned ?? letters.map((letter) => ({ title: section(letter) }));
  return (
    <BlankSheet values={values} language={language} blanks={blanks} parts={parts} startedAt={startedAt}>
      <p className="mt-1 flex flex-wrap justify-between gap-x-4">
        <span className="whitespace-nowrap">
          {words
            ? `${word(words, 'time')}: ${words.time(hours * 60)}`
            : t('paper.allowed', { time: tn('paper.hours', hours) })}
        </span>
        <span className="whitespace-nowrap">
          {words ? `${word(words, 'maximum')}: ${values.marks}` : t('paper.maximum', { marks: values.marks })}
        </span>
      </p>
      <BookLine values={values} blanks={blanks} />
    </BlankSheet>
  );
}
