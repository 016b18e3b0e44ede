import type { DocumentWords, Headings } from '@/builder/document-words';

/** The words that the function writes into the file; one JSON file a language. */
const folder = '../../../../functions/generate-communication/data/languages';
const loaders = import.meta.glob<Headings>(
  '../../../../functions/generate-communication/data/languages/*.json',
  { import: 'headings' },
);

/** The words of a language, or null where there are none. */
export async function loadMessageWords(language: string): Promise<DocumentWords | null> {
  const headings = await loaders[`${folder}/${language}.json`]?.();
  return headings ? { headings } : null;
}
