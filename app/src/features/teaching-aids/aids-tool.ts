import type { Tool } from '@/builder/tool';
import { retryableImport } from '@/lib/retryable-import';
import { emptyAids, requestOf } from './form';
import type { AidsForm } from './schema';

const fetchChecks = retryableImport(() => import('./checks'));

/** The teaching-aids tool (SPECIFICATION.md 12). Its document is shown as text. */
export const aidsTool: Tool<AidsForm, never> = {
  functionName: 'generate-teaching-aids',
  empty: emptyAids,
  labels: {
    board: 'builder.board',
    grade: 'builder.class',
    subject: 'builder.subject',
    aidTypes: 'aids.types',
    chapterName: 'builder.chapter',
    difficultyLevel: 'aids.difficulty',
  },
  requestOf,
  checks: async () => (await fetchChecks()).aidsChecks,
  mail: { type: 'Teaching Aids', field: 'documentContent' },
  texts: {
    generated: { title: 'aids.generated', description: 'aids.generatedDetail' },
    sent: { title: 'aids.sent', description: 'aids.sentDetail' },
    failed: { title: 'common.error', detail: 'aids.failedDetail' },
    noDocument: 'generation.noDocument',
    incomplete: { title: 'aids.incomplete', description: 'aids.incompleteDetail' },
  },
};
