/** Fixed words of a document by name, as the file itself uses them. */
export type Headings = Readonly<Partial<Record<string, string>>>;

export interface DocumentWords {
  headings: Headings;
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

/** The words of a language, or null where there are none or they cannot be fetched now. */
export async function loadWords(language: string): Promise<DocumentWords | null> {
  const path = `${folder}/${language}.json`;
  try {
    const [names, levels] = await Promise.all([headings[path]?.(), bloom[path]?.()]);
    return names && levels ? { headings: names, bloom: levels } : null;
  } catch {
    return null;
  }
}

const bloomLevels = ['remember', 'understand', 'apply', 'analyse', 'evaluate', 'create'];

/** The name of one of Bloom's levels in the language of the words. */
export function bloomName(words: DocumentWords, level: string): string {
  return words.bloom[bloomLevels.indexOf(level)] ?? level;
}

/** A fixed word with `{name}` replaced from `values`. */
export function word(
  words: DocumentWords,
  name: string,
  values: Readonly<Record<string, string>> = {},
): string {
  const text = words.headings[name] ?? '';
  return text.replace(/\{(\w+)\}/g, (placeholder, key: string) => values[key] ?? placeholder);
}
