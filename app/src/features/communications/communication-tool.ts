import * as z from 'zod/mini';
import { isBase64, type Answer, type Tool } from '@/builder/tool';
import { communicationDraft, communicationSchema, requestOf, type CommunicationForm } from './schema';

const responseSchema = z.object({
  documentContent: z.optional(z.nullable(z.string())),
  filename: z.optional(z.nullable(z.string())),
  generatedCommunication: z.optional(z.nullable(z.string())),
  meta: z.optional(z.object({ warnings: z._default(z.array(z.string()), []) })),
});

/** The communication among the tools (screens.md 13); it is shown as its text. */
export const communicationTool: Tool<CommunicationForm, never> = {
  functionName: 'generate-communication',
  schema: communicationSchema,
  labels: {
    communicationType: 'message.type',
    schoolName: 'message.school',
    targetAudience: 'message.audience',
    senderRole: 'message.senderRole',
    senderName: 'message.senderName',
    eventDate: 'message.date',
    purpose: 'message.purpose',
    keyDetails: 'message.details',
    tone: 'message.tone',
    signature: 'message.signature',
  },
  draft: communicationDraft,
  requestOf,
  read,
  mail: { type: 'Communication', field: 'documentContent' },
  texts: {
    generated: { title: 'message.generated', description: 'message.generatedDetail' },
    sent: { title: 'message.sent' },
    failed: { title: 'message.failed', detail: 'message.failedDetail' },
    noDocument: 'generation.noDocument',
    incomplete: { title: 'message.incomplete', description: 'message.incompleteDetail' },
    signedOut: { title: 'message.signedOut', description: 'message.signedOutDetail' },
  },
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
    },
  };
}
