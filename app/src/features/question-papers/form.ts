import type { RequestBody } from '@/builder/tool';
import { paperDefaults } from '@/lib/options/question-paper';
import type { PaperForm } from './schema';

/** The initial form (SPECIFICATION.md S-206, S-212). */
export const emptyPaper: PaperForm = {
  board: '',
  grade: '',
  subject: '',
  chapterName: '',
  book: '',
  publisher: '',
  marks: paperDefaults.marks,
  timeHours: paperDefaults.timeHours,
  numberOfSections: paperDefaults.numberOfSections,
  difficultyLevel: '',
  questionTypes: [],
};

/**
 * Builds the body of generate-question-paper (S-221). `sample` is the name of its object,
 * empty without one (S-204).
 */
export function requestOf(form: PaperForm, sample: string): RequestBody {
  return {
    board: form.board.trim(),
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
