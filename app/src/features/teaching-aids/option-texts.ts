import type { OptionTexts } from '@/lib/option-texts';

export const typeTexts: OptionTexts = {
  worksheets: 'aids.worksheets',
  'practice-sheets': 'aids.practiceSheets',
  'interactive-activities': 'aids.interactiveActivities',
  games: 'aids.games',
};

export const difficultyTexts: OptionTexts = {
  Easy: 'aids.easy',
  Medium: 'aids.medium',
  Hard: 'aids.hard',
};

export const formatTexts: OptionTexts = { docx: 'aids.formatWord', rtf: 'aids.formatRtf' };
