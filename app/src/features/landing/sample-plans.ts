export type PlanPart = 'mcq' | 'fill' | 'very-short' | 'short' | 'long';

export interface PlanSection {
  letter: string;
  parts: readonly { type: PlanPart; count: number; marksEach: number }[];
}

export interface SamplePlan {
  totalMarks: number;
  minutes: number;
  sections: readonly PlanSection[];
}

function section(letter: string, ...parts: (readonly [PlanPart, number, number])[]): PlanSection {
  return { letter, parts: parts.map(([type, count, marksEach]) => ({ type, count, marksEach })) };
}

/**
 * The plans of the question-paper function for each
 * total (Class 10, medium, five types of question).
 */
export const samplePlans: readonly SamplePlan[] = [
  {
    totalMarks: 20,
    minutes: 60,
    sections: [
      section('A', ['mcq', 4, 1], ['fill', 1, 1]),
      section('B', ['very-short', 2, 2], ['short', 2, 3]),
      section('C', ['long', 1, 5]),
    ],
  },
  {
    totalMarks: 25,
    minutes: 60,
    sections: [
      section('A', ['mcq', 4, 1], ['fill', 1, 1]),
      section('B', ['very-short', 2, 2], ['short', 2, 3]),
      section('C', ['long', 2, 5]),
    ],
  },
  {
    totalMarks: 50,
    minutes: 120,
    sections: [
      section('A', ['mcq', 9, 1], ['fill', 3, 1]),
      section('B', ['very-short', 4, 2]),
      section('C', ['short', 5, 3]),
      section('D', ['long', 3, 5]),
    ],
  },
  {
    totalMarks: 75,
    minutes: 150,
    sections: [
      section('A', ['mcq', 12, 1], ['fill', 5, 1]),
      section('B', ['very-short', 6, 2]),
      section('C', ['short', 7, 3]),
      section('D', ['long', 5, 5]),
    ],
  },
  {
    totalMarks: 80,
    minutes: 180,
    sections: [
      section('A', ['mcq', 15, 1]),
      section('B', ['fill', 5, 1]),
      section('C', ['very-short', 7, 2]),
      section('D', ['short', 7, 3]),
      section('E', ['long', 5, 5]),
    ],
  },
  {
    totalMarks: 100,
    minutes: 180,
    sections: [
      section('A', ['mcq', 20, 1]),
      section('B', ['fill', 7, 1]),
      section('C', ['very-short', 8, 2]),
      section('D', ['short', 9, 3]),
      section('E', ['long', 6, 5]),
    ],
  },
];

export function marksOf({ parts }: PlanSection): number {
  return parts.reduce((marks, { count, marksEach }) => marks + count * marksEach, 0);
}

export function questionsOf({ sections }: SamplePlan): number {
  return sections.flatMap(({ parts }) => parts).reduce((questions, { count }) => questions + count, 0);
}
