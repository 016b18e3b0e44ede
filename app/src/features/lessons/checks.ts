import * as z from 'zod/mini';
import { fetchEstimate } from '@/builder/api/fetch-estimate';
import { metaSchema } from '@/builder/answer-meta';
import { generationRuntime } from '@/builder/generation-runtime';
import { isBase64, type Answer, type Checks } from '@/builder/tool';
import { parseDocument, type LessonPlanDocument } from './document-schema';
import { lessonPlanSchema, type LessonPlanForm } from './schema';

const responseSchema = z.object({
  docContent: z.optional(z.nullable(z.string())),
  lessonPlan: z.optional(z.nullable(z.string())),
  filename: z.optional(z.nullable(z.string())),
  data: z.optional(z.unknown()),
  meta: z.optional(metaSchema),
});

/** The checks of a lesson plan: its form and the answer to it. */
export const lessonPlanChecks: Checks<LessonPlanForm, LessonPlanDocument> = {
  form: lessonPlanSchema,
  read,
  estimate: fetchEstimate,
  runtime: generationRuntime,
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
      language: meta?.language,
    },
  };
}
