import type { OptionTexts } from '@/lib/option-texts';

/** The aid types of the preview, which are more than the builder's. */
export const typeTexts: OptionTexts = {
  worksheets: 'aids.worksheets',
  'practice sheets': 'aids.practiceSheets',
  flashcards: 'preview.flashcards',
  'activity sheets': 'preview.activitySheets',
  'educational games': 'preview.educationalGames',
  quiz: 'preview.quiz',
  'presentation slide content': 'preview.slides',
  'study guides': 'preview.studyGuides',
  'assessment rubrics': 'preview.rubrics',
};

export const difficultyTexts: OptionTexts = {
  Easy: 'aids.easy',
  Medium: 'aids.medium',
  Hard: 'aids.hard',
};

export const formatTexts: OptionTexts = { docx: 'aids.formatWord', rtf: 'aids.formatRtf' };
