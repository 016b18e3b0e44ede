import * as z from 'zod/mini';
import { fetchEstimate } from '@/builder/api/fetch-estimate';
import { metaSchema } from '@/builder/answer-meta';
import { generationRuntime } from '@/builder/generation-runtime';
import { isBase64, type Answer, type Checks } from '@/builder/tool';
import { communicationSchema, type CommunicationForm } from './schema';

const responseSchema = z.object({
  documentContent: z.optional(z.nullable(z.string())),
  filename: z.optional(z.nullable(z.string())),
  generatedCommunication: z.optional(z.nullable(z.string())),
  meta: z.optional(metaSchema),
});

/** The checks of a communication: its form and the answer to it. */
export const communicationChecks: Checks<CommunicationForm, never> = {
  form: communicationSchema,
  read,
  estimate: fetchEstimate,
  runtime: generationRuntime,
};

function read(body: unknown): Answer<never> {
  const parsed = responseSchema.safeParse(body);
  if (!parsed.success) return { kind: 'empty', missing: 'response' };
  const { documentContent, filename, generatedCommunication, meta } = parsed.data;
  if (!documentContent || !isBase64(documentContent)) return { kind: 'empty', missing: 'document' };
  return {
    kind: 'done',
    document: {
      file: { content: documentContent, encoding: 'base64', type: 'application/rtf' },
      text: generatedCommunication ?? '',
      filename: filename ?? 'communication.rtf',
      content: null,
      warnings: meta?.warnings ?? [],
      language: meta?.language,
    },
  };
}
