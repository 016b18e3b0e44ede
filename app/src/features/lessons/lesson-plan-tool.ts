import * as z from 'zod/mini';
import { isBase64, type Answer, type Tool } from '@/builder/tool';
import { parseDocument, type LessonPlanDocument } from './document-schema';
import { lessonPlanDraft, lessonPlanSchema, requestOf, type LessonPlanForm } from './schema';

const responseSchema = z.object({
  docContent: z.optional(z.nullable(z.string())),
  lessonPlan: z.optional(z.nullable(z.string())),
  filename: z.optional(z.nullable(z.string())),
  data: z.optional(z.unknown()),
  meta: z.optional(z.object({ warnings: z._default(z.array(z.string()), []) })),
});

/** The lesson plan among the tools (screens.md 10). */
export const lessonPlanTool: Tool<LessonPlanForm, LessonPlanDocument> = {
  functionName: 'generate-lesson-plan',
  schema: lessonPlanSchema,
  labels: {
    board: 'builder.board',
    grade: 'builder.class',
    subject: 'builder.subject',
    chapterName: 'builder.chapter',
    book: 'builder.book',
    publisher: 'builder.publisher',
    periods: 'lesson.periods',
  },
  draft: lessonPlanDraft,
  requestOf,
  read,
  mail: { type: 'Lesson Plan', field: 'documentContent' },
  texts: {
    generated: { title: 'lesson.generated' },
    sent: { title: 'lesson.sent' },
    failed: { title: 'lesson.failed' },
    noDocument: 'generation.noDocument',
    incomplete: { title: 'builder.incomplete' },
  },
};

function read(body: unknown): Answer<LessonPlanDocument> {
  const parsed = responseSchema.safeParse(body);
  if (!parsed.success) return { kind: 'empty', missing: 'response' };
  const { docContent, lessonPlan, filename, data, meta } = parsed.data;
  if (!docContent || !isBase64(docContent)) return { kind: 'empty', missing: 'document' };
  return {
    kind: 'done',
    document: {
      file: { content: docContent, encoding: 'base64', type: 'application/rtf' },
      text: lessonPlan ?? '',
      filename: filename ?? 'lesson-plan-1.rtf',
      content: parseDocument(data),
      warnings: meta?.warnings ?? [],
    },
  };
}
