import * as z from 'zod/mini';
import { keptText, keptTexts, oneOf, requiredText, someOf } from '@/builder/form-rules';
import type { RequestBody } from '@/builder/tool';
import {
  hourOptions,
  markOptions,
  paperDefaults,
  paperDifficulties,
  questionTypes,
  sectionOptions,
} from '@/lib/tool-options';

const values = (options: readonly { value: string }[]) => options.map(({ value }) => value);

/** The question-paper form (screens.md S-355, S-214); numbers stay the text of their controls until the request. */
export const paperSchema = z.object({
  board: requiredText(),
  grade: requiredText(),
  subject: requiredText(),
  chapterName: requiredText(),
  book: requiredText(),
  publisher: requiredText(),
  marks: oneOf(markOptions),
  timeHours: oneOf(values(hourOptions)),
  numberOfSections: oneOf(sectionOptions),
  difficultyLevel: oneOf(values(paperDifficulties)),
  questionTypes: someOf(values(questionTypes)),
});

export type PaperForm = z.infer<typeof paperSchema>;

/** The form as it was left; its beginning is what S-206 and S-212 say. */
export const paperDraft = z.object({
  board: keptText(),
  grade: keptText(),
  subject: keptText(),
  chapterName: keptText(),
  book: keptText(),
  publisher: keptText(),
  marks: keptText(paperDefaults.marks),
  timeHours: keptText(paperDefaults.timeHours),
  numberOfSections: keptText(paperDefaults.numberOfSections),
  difficultyLevel: keptText(),
  questionTypes: keptTexts(),
});

/** The body of generate-question-paper (S-221); `sample` is the marker of a picked sample, empty without one. */
export function requestOf(form: PaperForm, sample: string): RequestBody {
  return {
    board: form.board,
    class: form.grade,
    subject: form.subject,
    chapter: form.chapterName.trim(),
    bookName: form.book.trim(),
    publisher: form.publisher.trim(),
    marks: Number(form.marks),
    timeHours: Number(form.timeHours),
    numberOfSections: Number(form.numberOfSections),
    difficultyLevel: form.difficultyLevel,
    questionTypes: form.questionTypes,
    referencePaperUrl: sample,
  };
}
