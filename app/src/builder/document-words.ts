import { useEffect, useState } from 'react';

/** Fixed words of a document by name, as the function writes them into the file. */
export type Headings = Readonly<Partial<Record<string, string>>>;

export interface DocumentWords {
  headings: Headings;
}

/** Returns a fixed word with `{name}` replaced from `values`. */
export function word(
  words: DocumentWords,
  name: string,
  values: Readonly<Record<string, string>> = {},
): string {
  return fillIn(words.headings[name] ?? '', values);
}

export function fillIn(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, key: string) => values[key] ?? placeholder);
}

/**
 * Returns the words of a language. They are undefined while they load, and null if there are none
 * or loading failed.
 */
export function useWords<Words extends DocumentWords>(
  load: (language: string) => Promise<Words | null>,
  language: string | undefined,
): Words | null | undefined {
  const [known, setKnown] = useState<{ of: string; words: Words | null }>();
  useEffect(() => {
    let current = true;
    if (language !== undefined) {
      void load(language)
        .catch(() => null)
        .then((words) => {
          if (current) setKnown({ of: language, words });
        });
    }
    return () => {
      current = false;
    };
  }, [load, language]);
  return known?.of === language ? known?.words : undefined;
}
