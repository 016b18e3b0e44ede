/**
 * The eight types of questions in the order of a paper, as in
 * `functions/generate-question-paper/src/plan/kinds.rs`.
 */
export interface Kind {
  id: string;
  objective: boolean;
  /** Marks of a question: the preferred value, then the allowed ones in order. */
  marks: readonly number[];
  /** Share of a paper before normalising. */
  weight: number;
  /** The factors of the weight in an easy and in a hard paper. */
  easy: number;
  hard: number;
  /** The seconds for a question of these marks. */
  seconds: (marks: number) => number;
}

export const kinds: readonly Kind[] = [
  kind('mcq', true, [1, 2], 16, 1.5, 0.7, (marks) => 75 * marks),
  kind('fill', true, [1, 2], 6, 1.5, 0.7, (marks) => 60 * marks),
  kind('true-false', true, [1, 2], 5, 1.5, 0.7, (marks) => (marks === 1 ? 45 : 150)),
  kind('match', true, [5, 4, 3, 6, 8, 10], 7, 1.5, 0.7, (marks) => 60 * marks),
  kind('very-short', false, [2, 1], 14, 1.2, 0.8, (marks) => (marks === 1 ? 90 : 210)),
  kind('short', false, [3, 2, 4], 24, 0.9, 1.1, (marks) => 130 * marks),
  kind('numerical', false, [3, 2, 4, 5, 1], 14, 0.8, 1.3, (marks) => 130 * marks),
  kind('long', false, [5, 4, 6, 8, 10, 3], 26, 0.6, 1.3, (marks) => 120 * marks),
];

function kind(
  id: string,
  objective: boolean,
  marks: readonly number[],
  weight: number,
  easy: number,
  hard: number,
  seconds: (marks: number) => number,
): Kind {
  return { id, objective, marks, weight, easy, hard, seconds };
}
