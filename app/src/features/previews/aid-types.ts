import type { Choice } from '@/lib/options/choices';

/**
 * The aid types of the public preview, which are more than the builder's (SPECIFICATION.md S-085).
 */
export const publicAidTypes: readonly Choice[] = [
  { value: 'worksheets', text: 'aids.worksheets' },
  { value: 'practice sheets', text: 'aids.practiceSheets' },
  { value: 'flashcards', text: 'preview.flashcards' },
  { value: 'activity sheets', text: 'preview.activitySheets' },
  { value: 'educational games', text: 'preview.educationalGames' },
  { value: 'quiz', text: 'preview.quiz' },
  { value: 'presentation slide content', text: 'preview.slides' },
  { value: 'study guides', text: 'preview.studyGuides' },
  { value: 'assessment rubrics', text: 'preview.rubrics' },
];
