import * as z from 'zod/mini';
import { isBase64, type Answer, type Tool } from '@/builder/tool';
import { aidsDraft, aidsSchema, requestOf, type AidsForm } from './schema';

const responseSchema = z.object({
  success: z.optional(z.nullable(z.boolean())),
  error: z.optional(z.nullable(z.string())),
  teachingAids: z.optional(z.nullable(z.string())),
  filename: z.optional(z.nullable(z.string())),
  documentContent: z.optional(z.nullable(z.string())),
  meta: z.optional(z.object({ warnings: z._default(z.array(z.string()), []) })),
});

const wordType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

/** Teaching aids among the tools (screens.md 12); they are shown as their text. */
export const aidsTool: Tool<AidsForm, never> = {
  functionName: 'generate-teaching-aids',
  schema: aidsSchema,
  labels: {
    board: 'builder.board',
    grade: 'builder.class',
    subject: 'builder.subject',
    aidTypes: 'aids.types',
    chapterName: 'builder.chapter',
    learningObjectives: 'aids.objectives',
    difficultyLevel: 'aids.difficulty',
  },
  draft: aidsDraft,
  requestOf,
  read,
  mail: { type: 'Teaching Aids', field: 'documentContent' },
  texts: {
    generated: { title: 'aids.generated', description: 'aids.generatedDetail' },
    sent: { title: 'aids.sent', description: 'aids.sentDetail' },
    failed: { title: 'common.error', detail: 'aids.failedDetail' },
    noDocument: 'generation.noDocument',
    incomplete: { title: 'aids.incomplete', description: 'aids.incompleteDetail' },
  },
};

function read(body: unknown): Answer<never> {
  const parsed = responseSchema.safeParse(body);
  if (!parsed.success) return { kind: 'empty', missing: 'response' };
  const { success, error, teachingAids, filename, documentContent, meta } = parsed.data;
  if (error || success === false) {
    return { kind: 'refused', status: 200, code: 'unknown', message: error ?? undefined };
  }
  if (!documentContent || !isBase64(documentContent)) return { kind: 'empty', missing: 'document' };
  const name = filename ?? 'teaching-aids.docx';
  return {
    kind: 'done',
    document: {
      file: {
        content: documentContent,
        encoding: 'base64',
        type: name.endsWith('.docx') ? wordType : 'application/rtf',
      },
      text: teachingAids ?? '',
      filename: name,
      content: null,
      warnings: meta?.warnings ?? [],
    },
  };
}
