import type { Option } from '../curriculum';
import type { t as Translate } from '../i18n';
import { namedOptions, type Choice } from './choices';

/** Boards of teaching aids (SPECIFICATION.md S-231). */
export const aidBoards: readonly Option[] = namedOptions([
  'CBSE',
  'ICSE',
  'NCERT',
  'State Board',
  'IB',
  'Cambridge',
]);

/** `1st` to `12th` (S-232). */
export const aidClasses: readonly Option[] = Array.from({ length: 12 }, (_, index) => {
  const name = `${index + 1}${['st', 'nd', 'rd'][index] ?? 'th'}`;
  return { value: name, label: name };
});

/** The same in English. The other languages have one way to write a class. */
export function ordinalClassOptions(t: typeof Translate, language: string): Option[] {
  return aidClasses.map((option, index) =>
    language === 'en' ? option : { ...option, label: t('builder.classNumber', { number: index + 1 }) },
  );
}

/** The aid types of the builder (S-234). */
export const aidTypes: readonly Choice[] = [
  { value: 'worksheets', text: 'aids.worksheets' },
  { value: 'practice-sheets', text: 'aids.practiceSheets' },
  { value: 'interactive-activities', text: 'aids.interactiveActivities' },
  { value: 'games', text: 'aids.games' },
];

export const aidDifficulties: readonly Choice[] = [
  { value: 'Easy', text: 'aids.easy' },
  { value: 'Medium', text: 'aids.medium' },
  { value: 'Hard', text: 'aids.hard' },
];

/** Pages of a teaching aid (S-236, S-413). */
export const aidPages = { min: 1, max: 10, publicDefault: 5, fallback: 3 } as const;

interface Format extends Choice {
  /** The value that the function gets, whatever the language of the interface. */
  name: string;
}

/** The file formats of a teaching aid. The first is the default (S-237, S-252). */
export const aidFormats: readonly Format[] = [
  { value: 'docx', text: 'aids.formatWord', name: 'Word Document (.docx)' },
  { value: 'rtf', text: 'aids.formatRtf', name: 'Rich Text (.rtf)' },
];
