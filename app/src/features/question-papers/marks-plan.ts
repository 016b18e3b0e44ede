/** How the marks of a paper are spread over its sections. */
export interface MarksPlan {
  totalMarks: number;
  minutes: number;
  sections: readonly {
    letter: string;
    marks: number;
    /** Where more questions are printed than are to be attempted: how many of them. */
    attempt: number | null;
    parts: readonly { type: string; count: number; marksEach: number }[];
  }[];
}
