import * as z from 'zod/mini';
import { oneOf, optionalText, requiredText, someOf } from '@/builder/form-rules';
import { aidDifficulties, aidTypes } from '@/lib/options/teaching-aids';
import { objectivesLimit } from './form';

const values = (options: readonly { value: string }[]) => options.map(({ value }) => value);

/** The teaching-aids form (SPECIFICATION.md S-356, S-242). */
export const aidsSchema = z.object({
  board: requiredText(),
  grade: requiredText(),
  subject: requiredText(),
  aidTypes: someOf(values(aidTypes)),
  chapterName: requiredText(),
  learningObjectives: optionalText(objectivesLimit),
  difficultyLevel: oneOf(values(aidDifficulties)),
  numberOfPages: z.string(),
  preferredFormat: z.string(),
});

export type AidsForm = z.infer<typeof aidsSchema>;
