import * as z from 'zod/mini';
import { t } from '@/lib/i18n';
import { defaultPeriods } from '@/lib/tool-options';

const shortTextLimit = 200;

const required = () =>
  z
    .string()
    .check(
      z.trim(),
      z.minLength(1, { error: () => t('form.required') }),
      z.maxLength(shortTextLimit, { error: () => t('form.tooLong', { limit: shortTextLimit }) }),
    );

/** The lesson-plan form (screens.md S-354); numbers stay the text of their controls until the request is made. */
export const lessonPlanSchema = z.object({
  board: required(),
  grade: required(),
  subject: required(),
  periods: z.string().check(z.regex(/^[1-5]$/, { error: () => t('form.required') })),
  chapterName: required(),
  book: required(),
  publisher: required(),
});

export type LessonPlanForm = z.infer<typeof lessonPlanSchema>;

export const emptyLessonPlan: LessonPlanForm = {
  board: '',
  grade: '',
  subject: '',
  periods: defaultPeriods,
  chapterName: '',
  book: '',
  publisher: '',
};

export function isComplete(form: LessonPlanForm): boolean {
  return lessonPlanSchema.safeParse(form).success;
}

/** The body of generate-lesson-plan (screens.md S-195). */
export interface LessonPlanRequest {
  board: string;
  class: string;
  subject: string;
  periods: number;
  chapter: string;
  bookName: string;
  publisher: string;
  referencePlanUrl: string;
}

/** `sample` is the marker of a picked sample, empty without one (screens.md S-204). */
export function requestOf(form: LessonPlanForm, sample: string): LessonPlanRequest {
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
