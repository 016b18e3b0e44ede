import type { MessageKey } from '@/lib/i18n';

interface SampleQuestion {
  text: MessageKey;
  options?: readonly SampleOption[];
}

/** A word of the reader's language, or a value that is the same in all of them. */
type SampleOption = { text: MessageKey } | { value: string };

export interface SampleSection {
  letter: string;
  marksEach: number;
  questions: readonly SampleQuestion[];
}

/** A whole class test, so that the claim of the landing page about its marks can be counted. */
export const samplePaper: { minutes: number; sections: readonly SampleSection[] } = {
  minutes: 45,
  sections: [
    {
      letter: 'A',
      marksEach: 1,
      questions: [
        {
          text: 'landing.sampleFocal',
          options: [
            { text: 'landing.sampleZero' },
            { text: 'landing.sampleInfinite' },
            { value: '25 cm' },
            { value: '−25 cm' },
          ],
        },
        { text: 'landing.sampleAxis' },
        { text: 'landing.sampleUnit' },
        { text: 'landing.sampleErect' },
      ],
    },
    {
      letter: 'B',
      marksEach: 3,
      questions: [{ text: 'landing.sampleLaws' }, { text: 'landing.samplePencil' }],
    },
    {
      letter: 'C',
      marksEach: 5,
      questions: [{ text: 'landing.sampleConcave' }, { text: 'landing.sampleLens' }],
    },
  ],
};

/** Returns `n × m = t` of a section, with its total. */
export function sectionMarks(section: SampleSection): { sum: string; total: number } {
  const total = section.questions.length * section.marksEach;
  return { sum: `${section.questions.length} × ${section.marksEach} = ${total}`, total };
}

export function totalMarks(sections: readonly SampleSection[]): number {
  return sections.reduce((marks, section) => marks + sectionMarks(section).total, 0);
}
