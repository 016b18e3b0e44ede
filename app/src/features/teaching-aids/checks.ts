import * as z from 'zod/mini';
import { fetchEstimate } from '@/builder/api/fetch-estimate';
import { metaSchema } from '@/builder/answer-meta';
import { generationRuntime } from '@/builder/generation-runtime';
import { isBase64, type Answer, type Checks } from '@/builder/tool';
import { aidsSchema, type AidsForm } from './schema';

const responseSchema = z.object({
  success: z.optional(z.nullable(z.boolean())),
  error: z.optional(z.nullable(z.string())),
  teachingAids: z.optional(z.nullable(z.string())),
  filename: z.optional(z.nullable(z.string())),
  documentContent: z.optional(z.nullable(z.string())),
  data: z.optional(z.unknown()),
  meta: z.optional(metaSchema),
});

const titlesSchema = z.object({
  title: z.string(),
  aids: z.array(z.object({ title: z.string() })),
});

const wordType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

/** The checks of teaching aids: the form and the answer to it. */
export const aidsChecks: Checks<AidsForm, never> = {
  form: aidsSchema,
  read,
  estimate: fetchEstimate,
  runtime: generationRuntime,
};

function read(body: unknown): Answer<never> {
  const parsed = responseSchema.safeParse(body);
  if (!parsed.success) return { kind: 'empty', missing: 'response' };
  const { success, error, teachingAids, filename, documentContent, data, meta } = parsed.data;
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
      headings: headingsOf(data),
      filename: name,
      content: null,
      warnings: meta?.warnings ?? [],
      language: meta?.language,
    },
  };
}

/** Returns the title and the name of each aid, which are lines of their own in the text. */
function headingsOf(data: unknown): readonly string[] {
  const titles = titlesSchema.safeParse(data);
  if (!titles.success) return [];
  const { title, aids } = titles.data;
  return [title, ...aids.map((aid) => aid.title)];
}
