import * as z from 'zod/mini';
import { fetchEstimate } from '@/builder/api/fetch-estimate';
import { metaSchema } from '@/builder/answer-meta';
import { generationRuntime } from '@/builder/generation-runtime';
import { isBase64, type Answer, type Checks } from '@/builder/tool';
import { parsePaper, type PaperDocument } from './document-schema';
import { paperSchema, type PaperForm } from './schema';

const responseSchema = z.object({
  error: z.optional(z.nullable(z.string())),
  questionPaper: z.optional(z.nullable(z.string())),
  wordContent: z.optional(z.nullable(z.string())),
  filename: z.optional(z.nullable(z.string())),
  data: z.optional(z.unknown()),
  meta: z.optional(metaSchema),
});

/** The checks of a question paper: its form and the answer to it. */
export const paperChecks: Checks<PaperForm, PaperDocument> = {
  form: paperSchema,
  read,
  estimate: fetchEstimate,
  runtime: generationRuntime,
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
      language: meta?.language,
    },
  };
}
