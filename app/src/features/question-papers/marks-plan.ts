/** How the marks of a paper are divided among its sections. */
export interface MarksPlan {
  totalMarks: number;
  minutes: number;
  sections: readonly {
    letter: string;
    marks: number;
    /** The number of questions to attempt, if more are printed. */
    attempt: number | null;
    parts: readonly { type: string; count: number; marksEach: number }[];
  }[];
}
