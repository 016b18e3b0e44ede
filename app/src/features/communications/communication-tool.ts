import type { Tool } from '@/builder/tool';
import { retryableImport } from '@/lib/retryable-import';
import { emptyCommunication, requestOf } from './form';
import type { CommunicationForm } from './schema';

const fetchChecks = retryableImport(() => import('./checks'));

/** The communication tool (SPECIFICATION.md 13). Its document is shown as text. */
export const communicationTool: Tool<CommunicationForm, never> = {
  functionName: 'generate-communication',
  empty: emptyCommunication,
  labels: {
    communicationType: 'message.type',
    targetAudience: 'message.audience',
    senderRole: 'message.senderRole',
    senderName: 'message.senderName',
    eventDate: 'message.date',
    purpose: 'message.purpose',
    keyDetails: 'message.details',
    tone: 'message.tone',
  },
  requestOf,
  checks: async () => (await fetchChecks()).communicationChecks,
  mail: { type: 'Communication', field: 'documentContent' },
  texts: {
    generated: { title: 'message.generated', description: 'message.generatedDetail' },
    sent: { title: 'message.sent' },
    failed: { title: 'message.failed', detail: 'message.failedDetail' },
    improper: 'message.improper',
    noDocument: 'generation.noDocument',
    incomplete: { title: 'message.incomplete', description: 'message.incompleteDetail' },
    signedOut: { title: 'message.signedOut', description: 'message.signedOutDetail' },
  },
};
