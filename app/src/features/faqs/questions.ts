import type { MessageKey } from '@/lib/i18n';

export interface Question {
  question: MessageKey;
  answer: readonly MessageKey[];
}

/** The ten questions, in the order of SPECIFICATION.md S-099. */
export const questions: readonly Question[] = [
  { question: 'faq.what', answer: ['faq.whatAnswer'] },
  { question: 'faq.kinds', answer: ['faq.kindsAnswer', 'faq.kindsSoon'] },
  { question: 'faq.boards', answer: ['faq.boardsAnswer'] },
  { question: 'faq.time', answer: ['faq.timeAnswer'] },
  { question: 'faq.cost', answer: ['faq.costAnswer', 'faq.costWhen'] },
  { question: 'faq.preview', answer: ['faq.previewAnswer'] },
  { question: 'faq.demo', answer: ['faq.demoAnswer'] },
  { question: 'faq.pay', answer: ['faq.payAnswer', 'faq.payChecked'] },
  { question: 'faq.install', answer: ['faq.installAnswer'] },
  { question: 'faq.safe', answer: ['faq.safeAnswer', 'faq.safeNames'] },
];
