import type { RequestBody } from '@/builder/tool';
import { aidFormats, aidPages } from '@/lib/options/teaching-aids';
import type { AidsForm } from './schema';

/**
 * The longest text of the objectives that the function
 * accepts (functions/SPECIFICATION.md GEN-1.11).
 */
export const objectivesLimit = 2_000;

/** The initial form (SPECIFICATION.md S-236, S-237). */
export const emptyAids: AidsForm = {
  board: '',
  grade: '',
  subject: '',
  aidTypes: [],
  chapterName: '',
  learningObjectives: '',
  difficultyLevel: '',
  numberOfPages: String(aidPages.fallback),
  preferredFormat: aidFormats[0]?.value ?? '',
};

/** Returns whole pages from 1 to 10. A blank or invalid number counts as 3 (S-236). */
export function pagesOf(text: string): number {
  const pages = /^\d{1,2}$/.test(text.trim()) ? Number(text) : 0;
  return pages >= aidPages.min && pages <= aidPages.max ? pages : aidPages.fallback;
}

/**
 * Builds the body of generate-teaching-aids (S-247). A sample is not sent (S-238). Any unknown
 * format is Word (S-252).
 */
export function requestOf(form: AidsForm): RequestBody {
  const format = aidFormats.find(({ value }) => value === form.preferredFormat) ?? aidFormats[0];
  return {
    board: form.board.trim(),
    grade: form.grade,
    subject: form.subject,
    aidTypes: form.aidTypes,
    chapterName: form.chapterName.trim(),
    learningObjectives: form.learningObjectives.trim(),
    difficultyLevel: form.difficultyLevel,
    numberOfPages: pagesOf(form.numberOfPages),
    preferredFormat: format?.name ?? '',
  };
}
