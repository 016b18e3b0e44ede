import type { OptionTexts } from '@/lib/option-texts';

// The builder has the same words: a file that both share would cost it more bytes than it has left.

export const typeTexts: OptionTexts = {
  mcq: 'paper.mcq',
  fill: 'paper.fill',
  match: 'paper.match',
  'true-false': 'paper.trueFalse',
  'very-short': 'paper.veryShort',
  short: 'paper.short',
  long: 'paper.long',
  numerical: 'paper.numerical',
};

export const difficultyTexts: OptionTexts = {
  easy: 'paper.easy',
  medium: 'paper.medium',
  hard: 'paper.hard',
  mixed: 'paper.mixed',
};
