import type { DocumentWords, Headings } from '@/builder/document-words';

/** The words that the function writes into the file. There is one JSON file for each language. */
const folder = '../../../../functions/generate-communication/data/languages';
const loaders = import.meta.glob<Headings>(
  '../../../../functions/generate-communication/data/languages/*.json',
  { import: 'headings' },
);

/** Loads the words of a language, or null if there are none. */
export async function loadMessageWords(language: string): Promise<DocumentWords | null> {
  const headings = await loaders[`${folder}/${language}.json`]?.();
  return headings ? { headings } : null;
}
