import type { Tool } from '@/builder/tool';
import { retryableImport } from '@/lib/retryable-import';
import type { LessonPlanDocument } from './document-schema';
import { emptyLessonPlan, requestOf } from './form';
import type { LessonPlanForm } from './schema';

const fetchChecks = retryableImport(() => import('./checks'));

/** The lesson-plan tool (SPECIFICATION.md 10). */
export const lessonPlanTool: Tool<LessonPlanForm, LessonPlanDocument> = {
  functionName: 'generate-lesson-plan',
  empty: emptyLessonPlan,
  labels: {
    board: 'builder.board',
    grade: 'builder.class',
    subject: 'builder.subject',
    chapterName: 'builder.chapter',
    book: 'builder.book',
    publisher: 'builder.publisher',
    periods: 'lesson.periods',
  },
  requestOf,
  checks: async () => (await fetchChecks()).lessonPlanChecks,
  mail: { type: 'Lesson Plan', field: 'documentContent' },
  texts: {
    generated: { title: 'lesson.generated' },
    sent: { title: 'lesson.sent' },
    failed: { title: 'lesson.failed' },
    noDocument: 'generation.noDocument',
    incomplete: { title: 'builder.incomplete' },
  },
};
