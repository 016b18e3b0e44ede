import { useI18n, type MessageKey } from '@/lib/i18n';
import { useWords, word, type DocumentWords, type Headings } from './document-words';

/** The words of a preview in the language of the document. */
export interface BlankWords extends DocumentWords {
  /** By their lower-case English names. */
  subjects: Headings;
}

/**
 * Returns the fixed words of a preview, as the document will have them. Until they have loaded, and
 * if they cannot be loaded, the words of the interface are used.
 */
export function useBlankWords<Words extends BlankWords>(
  load: (language: string) => Promise<Words | null>,
  language: string,
) {
  const { t } = useI18n();
  const words = useWords(load, language);
  return {
    words,
    /**
     * The word of a name, or the text of a key. A word that the document does not have is a blank.
     */
    say: (name: string, key: MessageKey, values: Readonly<Record<string, string>> = {}) =>
      words ? word(words, name, values) || '__________' : t(key, values),
    subject: (name: string) => words?.subjects[name.toLowerCase()] ?? name,
    /** Turns `Class 10` of the form into the words of the document. */
    grade: (name: string) =>
      words && name ? `${word(words, 'class')} ${/\d+/.exec(name)?.[0] ?? name}` : name,
  };
}

/** What every preview uses of its words. */
export type Blanks = Omit<ReturnType<typeof useBlankWords>, 'words'>;
