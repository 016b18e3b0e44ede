import type { DocumentWords, Headings } from '@/builder/document-words';

export interface LessonWords extends DocumentWords {
  /** Names of Bloom's levels, lowest first. */
  bloom: readonly string[];
}

/**
 * The function keeps the words of its files in one JSON file for each
 * language. The screen loads the same file when it shows a document in
 * that language, so that the preview says what the file says.
 */
const folder = '../../../../functions/generate-lesson-plan/data/languages';
const headings = import.meta.glob<Headings>(
  '../../../../functions/generate-lesson-plan/data/languages/*.json',
  { import: 'headings' },
);
const bloom = import.meta.glob<readonly string[]>(
  '../../../../functions/generate-lesson-plan/data/languages/*.json',
  { import: 'bloom' },
);

/** Loads the words of a language, or null if there are none. */
export async function loadLessonWords(language: string): Promise<LessonWords | null> {
  const path = `${folder}/${language}.json`;
  const [names, levels] = await Promise.all([headings[path]?.(), bloom[path]?.()]);
  return names && levels ? { headings: names, bloom: levels } : null;
}

const bloomLevels = ['remember', 'understand', 'apply', 'analyse', 'evaluate', 'create'];

/** Returns the name of one of Bloom's levels in the language of the words. */
export function bloomName(words: LessonWords, level: string): string {
  return words.bloom[bloomLevels.indexOf(level)] ?? level;
}
