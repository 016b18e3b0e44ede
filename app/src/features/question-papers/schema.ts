import * as z from 'zod/mini';
import { oneOf, requiredText, someOf } from '@/builder/form-rules';
import {
  hourOptions,
  markOptions,
  paperDifficulties,
  questionTypes,
  sectionOptions,
} from '@/lib/options/question-paper';

const values = (options: readonly { value: string }[]) => options.map(({ value }) => value);

/**
 * The question-paper form (SPECIFICATION.md S-355,
 * S-214). Numbers stay text until the request is built.
 */
export const paperSchema = z.object({
  board: requiredText(),
  grade: requiredText(),
  subject: requiredText(),
  chapterName: requiredText(),
  book: requiredText(),
  publisher: requiredText(),
  marks: oneOf(markOptions),
  timeHours: oneOf(hourOptions),
  numberOfSections: oneOf(sectionOptions),
  difficultyLevel: oneOf(values(paperDifficulties)),
  questionTypes: someOf(values(questionTypes)),
});

export type PaperForm = z.infer<typeof paperSchema>;
