import * as z from 'zod/mini';
import { keptText, keptTexts, oneOf, optionalText, requiredText, someOf } from '@/builder/form-rules';
import type { RequestBody } from '@/builder/tool';
import { aidDifficulties, aidFormats, aidPages, aidTypes } from '@/lib/tool-options';

const values = (options: readonly { value: string }[]) => options.map(({ value }) => value);
const defaultFormat = values(aidFormats)[0] ?? '';
const objectivesLimit = 2_000;

/** The teaching-aids form (screens.md S-356, S-242). */
export const aidsSchema = z.object({
  board: requiredText(),
  grade: requiredText(),
  subject: requiredText(),
  aidTypes: someOf(values(aidTypes)),
  chapterName: requiredText(),
  learningObjectives: optionalText(objectivesLimit),
  difficultyLevel: oneOf(values(aidDifficulties)),
  numberOfPages: z.string(),
  preferredFormat: z.string(),
});

export type AidsForm = z.infer<typeof aidsSchema>;

/** The form as it was left; its beginning is what S-236 and S-237 say. */
export const aidsDraft = z.object({
  board: keptText(),
  grade: keptText(),
  subject: keptText(),
  aidTypes: keptTexts(),
  chapterName: keptText(),
  learningObjectives: keptText(),
  difficultyLevel: keptText(),
  numberOfPages: keptText(String(aidPages.fallback)),
  preferredFormat: keptText(defaultFormat),
});

/** Whole pages from 1 to 10; what is blank or no such number counts as 3 (S-236). */
export function pagesOf(text: string): number {
  const pages = /^\d{1,2}$/.test(text.trim()) ? Number(text) : 0;
  return pages >= aidPages.min && pages <= aidPages.max ? pages : aidPages.fallback;
}

/** The body of generate-teaching-aids (S-247); a sample is not sent (S-238). Any unknown format is Word (S-252). */
export function requestOf(form: AidsForm): RequestBody {
  const format = aidFormats.find(({ value }) => value === form.preferredFormat) ?? aidFormats[0];
  return {
    board: form.board,
    grade: form.grade,
    subject: form.subject,
    aidTypes: form.aidTypes,
    chapterName: form.chapterName.trim(),
    learningObjectives: form.learningObjectives.trim(),
    difficultyLevel: form.difficultyLevel,
    numberOfPages: pagesOf(form.numberOfPages),
    preferredFormat: format?.label ?? '',
  };
}
