import * as z from 'zod/mini';
import { keptText, oneOf, requiredText } from '@/builder/form-rules';
import type { RequestBody } from '@/builder/tool';
import { defaultPeriods, periodOptions } from '@/lib/tool-options';

/** The lesson-plan form (screens.md S-354); numbers stay the text of their controls until the request is made. */
export const lessonPlanSchema = z.object({
  board: requiredText(),
  grade: requiredText(),
  subject: requiredText(),
  periods: oneOf(periodOptions),
  chapterName: requiredText(),
  book: requiredText(),
  publisher: requiredText(),
});

export type LessonPlanForm = z.infer<typeof lessonPlanSchema>;

/** The form as it was left; its beginning is what S-180 says. */
export const lessonPlanDraft = z.object({
  board: keptText(),
  grade: keptText(),
  subject: keptText(),
  periods: keptText(defaultPeriods),
  chapterName: keptText(),
  book: keptText(),
  publisher: keptText(),
});

/** The body of generate-lesson-plan (S-195); `sample` is the marker of a picked sample, empty without one (S-204). */
export function requestOf(form: LessonPlanForm, sample: string): RequestBody {
  return {
    board: form.board,
    class: form.grade,
    subject: form.subject,
    periods: Number(form.periods),
    chapter: form.chapterName.trim(),
    bookName: form.book.trim(),
    publisher: form.publisher.trim(),
    referencePlanUrl: sample,
  };
}
