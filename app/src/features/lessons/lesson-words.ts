import type { DocumentWords, Headings } from '@/builder/document-words';

export interface LessonWords extends DocumentWords {
  /** Names of Bloom's levels, lowest first. */
  bloom: readonly string[];
}

/**
 * The function that writes the file keeps its words in one JSON file a language. The screen reads the very same files,
 * each only when a document in that language is shown, so that the preview says what the file says.
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

/** The words of a language, or null where there are none. */
export async function loadLessonWords(language: string): Promise<LessonWords | null> {
  const path = `${folder}/${language}.json`;
  const [names, levels] = await Promise.all([headings[path]?.(), bloom[path]?.()]);
  return names && levels ? { headings: names, bloom: levels } : null;
}

const bloomLevels = ['remember', 'understand', 'apply', 'analyse', 'evaluate', 'create'];

/** The name of one of Bloom's levels in the language of the words. */
export function bloomName(words: LessonWords, level: string): string {
  return words.bloom[bloomLevels.indexOf(level)] ?? level;
}
