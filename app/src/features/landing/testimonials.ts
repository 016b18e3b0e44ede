import type { MessageKey } from '@/lib/i18n';

/**
 * Fifteen testimonials, three to a page of the carousel (SPECIFICATION.md S-066). We wrote them
 * ourselves as examples of use, with roles instead of names, and the screen says so. A real
 * teacher's words, given with consent, replace one of them.
 */
const voices = [
  'light',
  'marks',
  'words',
  'phone',
  'key',
  'principal',
  'worksheets',
  'ptm',
  'network',
  'misconceptions',
  'book',
  'newTeachers',
  'versions',
  'boardWork',
  'honest',
] as const;

export interface Testimonial {
  text: MessageKey;
  author: MessageKey;
  location: MessageKey;
}

export const testimonials: readonly Testimonial[] = voices.map((voice) => ({
  text: `voice.${voice}`,
  author: `voice.${voice}By`,
  location: `voice.${voice}In`,
}));

export const perPage = 3;
export const pageCount = Math.ceil(testimonials.length / perPage);

/** Returns the page `steps` after `page`, in a loop (SPECIFICATION.md S-068). */
export function pageAfter(page: number, steps: number): number {
  return (((page + steps) % pageCount) + pageCount) % pageCount;
}
