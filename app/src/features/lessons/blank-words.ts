import { loadSubjectNames } from '@/builder/subject-names';
import type { BlankWords } from '@/builder/use-blank-words';
import { loadLessonWords } from './lesson-words';

/** Loads the words for the preview of a plan. */
export async function loadBlankWords(language: string): Promise<BlankWords | null> {
  const [words, subjects] = await Promise.all([loadLessonWords(language), loadSubjectNames(language)]);
  return words && { headings: words.headings, subjects };
}
