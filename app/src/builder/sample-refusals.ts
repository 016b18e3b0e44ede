import { t, type MessageKey } from '@/lib/i18n';

/** What to do about a sample that a function cannot use, by its code (functions/_samples). */
const texts: Readonly<Partial<Record<string, MessageKey>>> = {
  sample_missing: 'sample.gone',
  sample_too_large: 'sample.tooLarge',
  sample_not_a_document: 'sample.invalidTypeDetail',
  sample_locked: 'sample.locked',
  sample_damaged: 'sample.damaged',
  sample_without_text: 'sample.withoutText',
  sample_too_many_pages: 'sample.tooManyPages',
  sample_too_large_unpacked: 'sample.tooComplex',
  sample_too_complex: 'sample.tooComplex',
  sample_old_font: 'sample.oldFont',
  sample_broken_letters: 'sample.brokenLetters',
};

/** Whether a function refused a call because of its sample. */
export function isSampleRefusal(code: string): boolean {
  return code.startsWith('sample_');
}

/** Says why a sample cannot be used, and what to do next. */
export function sampleRefusalText(code: string): string {
  return t(texts[code] ?? 'sample.damaged');
}
