import type { MarksPlan } from '../marks-plan';
import { fitTo } from './fit';
import { kinds } from './kinds';
import { sharesOf } from './shares';

/** What decides how the marks of a paper are divided. */
export interface PlanRequest {
  board: string;
  /** 1 to 12. */
  grade: number;
  subject: string;
  marks: number;
  minutes: number;
  sections: number;
  hardness: string;
  /** Ids in any order. */
  types: readonly string[];
}

interface Part {
  section: number;
  type: string;
  count: number;
  marksEach: number;
}

/**
 * Returns the marks plan beside the form, at once and without a network. The function that writes
 * the paper plans it again (`functions/generate-question-paper/src/plan`). A table that it wrote
 * tests that both agree (functions/SPECIFICATION.md D23).
 */
export function planOf(request: PlanRequest): MarksPlan {
  const parts = publishedPattern(request) ?? fitted(request);
  const last = parts.at(-1);
  const lastIsSinglePart = parts.filter(({ section }) => section === last?.section).length === 1;
  const letters = [...new Set(parts.map(({ section }) => section))];
  const sections = letters.map((section) => {
    const own = parts.filter((part) => part.section === section);
    const extra = lastIsSinglePart && section === last?.section ? extraQuestions(request, last) : 0;
    return {
      letter: String.fromCharCode('A'.charCodeAt(0) + section),
      marks: own.reduce((marks, { count, marksEach }) => marks + count * marksEach, 0),
      attempt: extra > 0 ? (last?.count ?? null) : null,
      parts: own.map(({ type, count, marksEach }) => ({ type, count: count + extra, marksEach })),
    };
  });
  return { totalMarks: request.marks, minutes: request.minutes, sections };
}

function fitted({ types, sections, hardness, grade, marks, minutes }: PlanRequest): readonly Part[] {
  const ticked = kinds.filter(({ id }) => types.includes(id));
  const shares = sharesOf(ticked, sections, hardness, grade);
  return fitTo(shares, marks, minutes * 60).map(({ count, each }, at) => ({
    section: shares[at]?.section ?? 0,
    type: shares[at]?.kind.id ?? '',
    count,
    marksEach: each,
  }));
}

/** CBSE, Class 10, Mathematics, 80 marks in 3 hours: section, type, count and marks of each. */
const cbseMathematics = [
  [0, 'mcq', 20, 1],
  [1, 'very-short', 5, 2],
  [2, 'short', 6, 3],
  [3, 'long', 4, 5],
  [4, 'long', 3, 4],
] as const;

function publishedPattern(request: PlanRequest): readonly Part[] | null {
  const { grade, marks, minutes, sections, types } = request;
  const matches =
    boardNames(request.board, ['cbse', 'ncert']) &&
    !boardNames(request.board, [...attemptingSome, ...attemptingAll]) &&
    ['Mathematics', 'Maths'].includes(request.subject) &&
    [grade, marks, minutes, sections].join() === '10,80,180,5' &&
    [...types].sort().join() === 'long,mcq,short,very-short';
  if (!matches) return null;
  return cbseMathematics.map(([section, type, count, marksEach]) => ({ section, type, count, marksEach }));
}

/** Boards whose papers have more questions in the last section than are to be attempted. */
const attemptingSome = ['icse', 'isc', 'cisce'];
const attemptingAll = ['ib', 'cambridge', 'igcse', 'cie', 'baccalaureate'];

/** Returns the questions printed beyond those to be attempted, in a last section of one part. */
function extraQuestions({ board, grade }: PlanRequest, { type, count }: Part): number {
  const written = ['short', 'numerical', 'long'].includes(type);
  return boardNames(board, attemptingSome) && grade >= 9 && written && count >= 2 ? 2 : 0;
}

/** Whether one of the words of a typed board is among the names. */
function boardNames(board: string, names: readonly string[]): boolean {
  const words = board.toLowerCase().match(/[\p{Alphabetic}\p{N}]+/gu) ?? [];
  return words.some((word) => names.includes(word));
}
