import { useI18n, type MessageKey } from '@/lib/i18n';
import { useWords, word, type DocumentWords, type Headings } from './document-words';

/** What a preview says in the language of the document. */
export interface BlankWords extends DocumentWords {
  /** By the small letters of their English names. */
  subjects: Headings;
}

/**
 * The fixed words of a preview as the document will have them. Until they are there, and where they cannot be had,
 * those of the interface stand in.
 */
export function useBlankWords<Words extends BlankWords>(
  load: (language: string) => Promise<Words | null>,
  language: string,
) {
  const { t } = useI18n();
  const words = useWords(load, language);
  return {
    words,
    /** The word of a name, or the text of a key; a word that the document does not have is a blank in it. */
    say: (name: string, key: MessageKey, values: Readonly<Record<string, string>> = {}) =>
      words ? word(words, name, values) || '__________' : t(key, values),
    subject: (name: string) => words?.subjects[name.toLowerCase()] ?? name,
    /** `Class 10` of the form, as the document says it. */
    grade: (name: string) =>
      words && name ? `${word(words, 'class')} ${/\d+/.exec(name)?.[0] ?? name}` : name,
  };
}

/** What any preview says, whatever else its words have. */
export type Blanks = Omit<ReturnType<typeof useBlankWords>, 'words'>;
