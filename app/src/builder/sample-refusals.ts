import { t, type MessageKey } from '@/lib/i18n';
import type { RequestBody } from './tool';

/** What to do about a sample that a function cannot use, by its code (functions/_samples). */
const texts: Readonly<Partial<Record<string, MessageKey>>> = {
  sample_missing: 'sample.gone',
  sample_too_large: 'sample.tooLarge',
  sample_not_a_document: 'sample.notADocument',
  sample_locked: 'sample.locked',
  sample_damaged: 'sample.damaged',
  sample_without_text: 'sample.withoutText',
  sample_too_many_pages: 'sample.tooManyPages',
  sample_too_large_unpacked: 'sample.tooComplex',
  sample_too_complex: 'sample.tooComplex',
  sample_old_font: 'sample.oldFont',
  sample_broken_letters: 'sample.brokenLetters',
};

/** The code of a sample that takes too much work to read. */
export const tooComplex = 'sample_too_complex';

/** The fields of requests that name a sample. */
const sampleFields = ['referencePlanUrl', 'referencePaperUrl'];

/** Whether a request names a sample. */
export function hasSample(request: RequestBody | null): boolean {
  return sampleFields.some((field) => Boolean(request?.[field]));
}

/** Whether a function refused a call because of its sample. */
export function isSampleRefusal(code: string): boolean {
  return code.startsWith('sample_');
}

/** Says why a sample cannot be used, and what to do next. */
export function sampleRefusalText(code: string): string {
  return t(texts[code] ?? 'sample.damaged');
}
