import type { MessageKey } from '@/lib/i18n';

export const aboutParagraphs: readonly MessageKey[] = ['about.how', 'about.credits'];

export interface Offering {
  name: MessageKey;
  text: MessageKey;
  comingSoon: boolean;
}

/**
 * The list of the shorter page. Its labels are those
 * of the product's owners (SPECIFICATION.md S-013).
 */
export const offerings: readonly Offering[] = [
  { name: 'about.lessonPlans', text: 'about.lessonPlansDetail', comingSoon: false },
  { name: 'about.questionPapers', text: 'about.questionPapersDetail', comingSoon: true },
  { name: 'about.worksheets', text: 'about.worksheetsDetail', comingSoon: true },
];

export const promises: readonly MessageKey[] = ['about.boards', 'about.previewed', 'about.givenBack'];
