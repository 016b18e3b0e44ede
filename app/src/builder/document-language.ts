import type { Estimate } from './api/estimate';

/** The language of a document, and what decided it. */
export interface DocumentLanguage {
  /** ISO 639-1. */
  code: string;
  /**
   * `bank`: the bank has the chapter in English only.
   * `script`: there is no built-in text in these letters.
   */
  by: 'subject' | 'chapter' | 'bank' | 'script';
}

interface LanguageInput {
  board: string;
  subject: string;
  /** The chapter, and what else is written about it. */
  typed: string;
}

const taught: Readonly<Partial<Record<string, string>>> = {
  English: 'en',
  Hindi: 'hi',
  Marathi: 'mr',
  Gujarati: 'gu',
  Telugu: 'te',
  Kannada: 'kn',
  Sanskrit: 'sa',
};

const latin = /[A-Za-z\u00c0-\u024f\u1e00-\u1eff]/g;
const scripts: readonly (readonly [RegExp, string | null])[] = [
  [/[\u0900-\u0963\u0966-\u097f]/g, 'hi'],
  [/[\u0a80-\u0aff]/g, 'gu'],
  [/[\u0c00-\u0c7f]/g, 'te'],
  [/[\u0c80-\u0cff]/g, 'kn'],
  [/[\u0980-\u0a7f]|[\u0b00-\u0bff]|[\u0d00-\u0d7f]/g, null],
];
const marathiBoard = /maharashtra|msbshse|goa|महाराष्ट्र|गोवा/i;

/**
 * Returns the language by the rule of the functions (functions/SPECIFICATION.md DOM-10.1), so that
 * the preview is right before a form is complete. A shared table tests both.
 */
export function documentLanguage({ board, subject, typed }: LanguageInput): DocumentLanguage {
  const own = taught[subject];
  if (own) return { code: own, by: 'subject' };
  const count = (letters: RegExp) => typed.match(letters)?.length ?? 0;
  const all = scripts.reduce((sum, [letters]) => sum + count(letters), count(latin));
  const [, code] = scripts.find(([letters]) => all > 0 && count(letters) * 2 >= all) ?? [latin, 'en'];
  if (code === null) return { code: 'en', by: 'script' };
  return { code: code === 'hi' && marathiBoard.test(board) ? 'mr' : code, by: 'chapter' };
}

/** Returns the name of a language in the current one, or the code itself if it is invalid. */
export function languageName(code: string, shown: string): string {
  if (!/^[a-z]{2,3}$/.test(code)) return code;
  return new Intl.DisplayNames([shown], { type: 'language' }).of(code) ?? code;
}

/**
 * Returns the language of the estimate, which also knows
 * the bank. Without an estimate, the rule decides.
 */
export function estimatedLanguage(input: LanguageInput, estimate: Estimate | undefined): DocumentLanguage {
  const byRule = documentLanguage(input);
  if (!estimate) return byRule;
  return { code: estimate.language, by: estimate.standIn === 'chapter' ? 'bank' : byRule.by };
}
