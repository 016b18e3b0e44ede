import * as z from 'zod/mini';
import { oneOf, requiredText } from '@/builder/form-rules';
import { periodOptions } from '@/lib/options/lesson-plan';

/** The lesson-plan form (SPECIFICATION.md S-354). Numbers stay text until the request is built. */
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
