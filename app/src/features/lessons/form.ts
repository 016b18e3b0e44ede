import type { RequestBody } from '@/builder/tool';
import { defaultPeriods } from '@/lib/options/lesson-plan';
import type { LessonPlanForm } from './schema';

/** The initial form (SPECIFICATION.md S-180). */
export const emptyLessonPlan: LessonPlanForm = {
  board: '',
  grade: '',
  subject: '',
  periods: defaultPeriods,
  chapterName: '',
  book: '',
  publisher: '',
};

/**
 * Builds the body of generate-lesson-plan (S-195). `sample`
 * is the name of its object, empty without one (S-204).
 */
export function requestOf(form: LessonPlanForm, sample: string): RequestBody {
  return {
    board: form.board.trim(),
    class: form.grade,
    subject: form.subject,
    periods: Number(form.periods),
    chapter: form.chapterName.trim(),
    bookName: form.book.trim(),
    publisher: form.publisher.trim(),
    referencePlanUrl: sample,
  };
}
