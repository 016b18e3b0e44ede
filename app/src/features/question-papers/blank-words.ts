import { loadSubjectNames } from '@/builder/subject-names';
import type { BlankWords } from '@/builder/use-blank-words';
import { loadPaperWords, timeOf } from './paper-words';

export interface BlankPaperWords extends BlankWords {
  time: (minutes: number) => string;
}

/** Loads the words for the preview of a paper. */
export async function loadBlankWords(language: string): Promise<BlankPaperWords | null> {
  const [words, subjects] = await Promise.all([loadPaperWords(language), loadSubjectNames(language)]);
  return words && { headings: words.headings, subjects, time: (minutes) => timeOf(words, minutes) };
}
