import * as z from 'zod/mini';
import { isBase64, type Answer, type Tool } from '@/builder/tool';
import { parsePaper, type PaperDocument } from './document-schema';
import { paperDraft, paperSchema, requestOf, type PaperForm } from './schema';

const responseSchema = z.object({
  error: z.optional(z.nullable(z.string())),
  questionPaper: z.optional(z.nullable(z.string())),
  wordContent: z.optional(z.nullable(z.string())),
  filename: z.optional(z.nullable(z.string())),
  data: z.optional(z.unknown()),
  meta: z.optional(z.object({ warnings: z._default(z.array(z.string()), []) })),
});

/** The question paper among the tools (screens.md 11). */
export const paperTool: Tool<PaperForm, PaperDocument> = {
  functionName: 'generate-question-paper',
  schema: paperSchema,
  labels: {
    board: 'builder.board',
    grade: 'builder.class',
    subject: 'builder.subject',
    chapterName: 'builder.chapter',
    book: 'builder.book',
    publisher: 'builder.publisher',
    marks: 'paper.marks',
    timeHours: 'paper.time',
    numberOfSections: 'paper.sections',
    difficultyLevel: 'paper.difficulty',
    questionTypes: 'paper.types',
  },
  draft: paperDraft,
  requestOf,
  read,
  mail: { type: 'Question Paper', field: 'wordContent' },
  texts: {
    generated: { title: 'paper.generated' },
    sent: { title: 'paper.sent' },
    failed: { title: 'paper.failed' },
    noDocument: 'paper.noContent',
    incomplete: { title: 'paper.incomplete' },
    signedOut: { title: 'paper.signedOut', description: 'paper.signedOutDetail' },
  },
};

function read(body: unknown): Answer<PaperDocument> {
  const parsed = responseSchema.safeParse(body);
  if (!parsed.success) return { kind: 'empty', missing: 'response' };
  const { error, questionPaper, wordContent, filename, data, meta } = parsed.data;
  if (error) return { kind: 'refused', status: 200, code: 'unknown', message: error };
  if (!wordContent) return { kind: 'empty', missing: 'document' };
  return {
    kind: 'done',
    document: {
      file: {
        content: wordContent,
        encoding: isBase64(wordContent) ? 'base64' : 'text',
        type: 'application/msword',
      },
      text: questionPaper ?? '',
      filename: filename ?? 'question-paper.doc',
      content: parsePaper(data),
      warnings: meta?.warnings ?? [],
    },
  };
}
