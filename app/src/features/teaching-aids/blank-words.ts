import type { Headings } from '@/builder/document-words';
import { loadSubjectNames } from '@/builder/subject-names';
import type { BlankWords } from '@/builder/use-blank-words';

export interface BlankAidsWords extends BlankWords {
  /** Names of the kinds of aids, by their ids. */
  names: Headings;
}

/** The words that the function writes into the file. There is one JSON file for each language. */
const folder = '../../../../functions/generate-teaching-aids/data/languages';
const headings = import.meta.glob<Headings>(
  '../../../../functions/generate-teaching-aids/data/languages/*.json',
  { import: 'headings' },
);
const names = import.meta.glob<Headings>(
  '../../../../functions/generate-teaching-aids/data/languages/*.json',
  { import: 'names' },
);

/** Loads the words for the preview of the aids. */
export async function loadBlankWords(language: string): Promise<BlankAidsWords | null> {
  const path = `${folder}/${language}.json`;
  const [fixed, kinds, subjects] = await Promise.all([
    headings[path]?.(),
    names[path]?.(),
    loadSubjectNames(language),
  ]);
  return fixed && kinds ? { headings: fixed, names: kinds, subjects } : null;
}
