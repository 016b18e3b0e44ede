import type { Tool } from '@/builder/tool';
import { retryableImport } from '@/lib/retryable-import';
import type { PaperDocument } from './document-schema';
import { emptyPaper, requestOf } from './form';
import type { PaperForm } from './schema';

const fetchChecks = retryableImport(() => import('./checks'));

/** The question-paper tool (SPECIFICATION.md 11). */
export const paperTool: Tool<PaperForm, PaperDocument> = {
  functionName: 'generate-question-paper',
  empty: emptyPaper,
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
  requestOf,
  checks: async () => (await fetchChecks()).paperChecks,
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
