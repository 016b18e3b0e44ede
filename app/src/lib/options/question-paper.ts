import type { Choice } from './choices';

/** Total marks of a paper (SPECIFICATION.md S-207). */
export const markOptions = ['20', '25', '50', '75', '80', '100'] as const;

/** The hours of a paper (S-208). */
export const hourOptions = ['1', '1.5', '2', '2.5', '3', '3.5', '4'] as const;

/** The numbers of sections of a paper (S-209). */
export const sectionOptions = ['2', '3', '4', '5', '6'] as const;

/** The defaults of a question paper (S-206). */
export const paperDefaults = { marks: '100', timeHours: '3', numberOfSections: '4' } as const;

/** The difficulties of a paper (S-210). */
export const paperDifficulties: readonly Choice[] = [
  { value: 'easy', text: 'paper.easy' },
  { value: 'medium', text: 'paper.medium' },
  { value: 'hard', text: 'paper.hard' },
  { value: 'mixed', text: 'paper.mixed' },
];

/** The kinds of questions in a paper (S-211). */
export const questionTypes: readonly Choice[] = [
  { value: 'mcq', text: 'paper.mcq' },
  { value: 'fill', text: 'paper.fill' },
  { value: 'match', text: 'paper.match' },
  { value: 'true-false', text: 'paper.trueFalse' },
  { value: 'very-short', text: 'paper.veryShort' },
  { value: 'short', text: 'paper.short' },
  { value: 'long', text: 'paper.long' },
  { value: 'numerical', text: 'paper.numerical' },
];
