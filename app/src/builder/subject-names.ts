import type { Headings } from './document-words';

/** The form's subjects in the language of a document, as the functions print them. */
const folder = '../../../functions/_shared/data/languages';
const loaders = import.meta.glob<Headings>('../../../functions/_shared/data/languages/*.json', {
  import: 'subjects',
});

/** Loads the names by the lower-case English names. English has no others. */
export async function loadSubjectNames(language: string): Promise<Headings> {
  return (await loaders[`${folder}/${language}.json`]?.()) ?? {};
}
