import { fillIn, type DocumentWords, type Headings } from '@/builder/document-words';

export interface PaperWords extends DocumentWords {
  /** Names of the question types for narrow columns, by their ids. */
  abbreviations: Headings;
  /** Names of counted things, for one and for several. */
  counted: Readonly<Partial<Record<string, readonly [string, string]>>>;
  /** Names of the three groups of levels, lowest first. */
  levels: readonly string[];
  difficulties: readonly string[];
}

/**
 * The words that the function writes into the file. There is one JSON file for each language, which
 * loads when a document is shown.
 */
const folder = '../../../../functions/generate-question-paper/data/languages';
const loaders = import.meta.glob<PaperWords>(
  '../../../../functions/generate-question-paper/data/languages/*.json',
  { import: 'default' },
);

/** Loads the words of a language, or null if there are none. */
export async function loadPaperWords(language: string): Promise<PaperWords | null> {
  return (await loaders[`${folder}/${language}.json`]?.()) ?? null;
}

/** Returns `3 hours` or `2½ hours`, as in the file. */
export function timeOf(words: PaperWords, minutes: number): string {
  const [one = '', several = ''] = words.counted.hours ?? [];
  const whole = Math.floor(minutes / 60);
  if (minutes % 60 !== 0) return fillIn(several, { n: `${whole}½` });
  return fillIn(whole === 1 ? one : several, { n: String(whole) });
}

/** Returns marks in halves, as a marking scheme has them: `½`, `1`, `2½`. */
export function halves(marks: number): string {
  const whole = Math.floor(marks);
  if (marks === whole) return String(whole);
  return whole === 0 ? '½' : `${whole}½`;
}

/** Returns `i`, `ii`, `iv`: the numbers of instructions and of parts. */
export function roman(number: number): string {
  const digits = ['', 'i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix'];
  const tens = ['', 'x', 'xx', 'xxx'];
  return `${tens[Math.floor(number / 10)] ?? ''}${digits[number % 10] ?? ''}`;
}

/** The number of a question as it is printed: `1.`, or as in a sample. */
export function numberOf(no: number, numbering: readonly [string, string] = ['', '.']): string {
  return numbering.join(String(no));
}

export function letterAt(index: number): string {
  return String.fromCharCode(97 + index);
}
