import { subjects, type Option } from './curriculum';

/** What the forms of the four tools offer, in one place for their previews and their builders. */

/** How many periods a chapter is spread over (screens.md S-181). */
export const periodOptions = ['1', '2', '3', '4', '5'] as const;
export const defaultPeriods = '5';

/** Subjects of question papers: the common ones and four more (S-213). */
export const paperSubjects: readonly Option[] = [
  ...subjects,
  ...named(['Maths', 'Telugu', 'Marathi', 'Kannada']),
];

/** Total marks of a paper (S-207). */
export const markOptions = ['20', '25', '50', '75', '80', '100'] as const;

/** Hours that a paper takes (S-208). */
export const hourOptions: readonly Option[] = ['1', '1.5', '2', '2.5', '3', '3.5', '4'].map((value) => ({
  value,
  label: value === '1' ? '1 hour' : `${value} hours`,
}));

/** Into how many sections a paper is divided (S-209). */
export const sectionOptions = ['2', '3', '4', '5', '6'] as const;

/** What a question paper begins with (S-206). */
export const paperDefaults = { marks: '100', timeHours: '3', numberOfSections: '4' } as const;

/** How hard a paper is (S-210). */
export const paperDifficulties: readonly Option[] = [
  { value: 'easy', label: 'Easy (Beginner Level)' },
  { value: 'medium', label: 'Medium (Intermediate Level)' },
  { value: 'hard', label: 'Hard (Advanced Level)' },
  { value: 'mixed', label: 'Mixed (Varied Difficulty)' },
];

/** The kinds of questions in a paper (S-211). */
export const questionTypes: readonly Option[] = [
  { value: 'mcq', label: 'MCQ' },
  { value: 'fill', label: 'Fill in the blanks' },
  { value: 'match', label: 'Match the following' },
  { value: 'true-false', label: 'True/False' },
  { value: 'very-short', label: 'Very short' },
  { value: 'short', label: 'Short' },
  { value: 'long', label: 'Long' },
  { value: 'numerical', label: 'Numerical' },
];

/** Boards of teaching aids (S-231). */
export const aidBoards: readonly Option[] = named([
  'CBSE',
  'ICSE',
  'NCERT',
  'State Board',
  'IB',
  'Cambridge',
]);

/** `1st` to `12th` (S-232). */
export const aidClasses: readonly Option[] = Array.from({ length: 12 }, (_, index) => {
  const name = `${index + 1}${['st', 'nd', 'rd'][index] ?? 'th'}`;
  return { value: name, label: name };
});

/** Subjects of teaching aids (S-233). */
export const aidSubjects: readonly Option[] = named([
  'Mathematics',
  'Science',
  'English',
  'Hindi',
  'Social Studies',
  'Physics',
  'Chemistry',
  'Biology',
  'History',
  'Geography',
  'Civics',
  'Economics',
]);

/** The aid types that the public preview names (S-085). */
export const publicAidTypes: readonly Option[] = [
  { value: 'worksheets', label: 'Worksheets' },
  { value: 'practice sheets', label: 'Practice sheets' },
  { value: 'flashcards', label: 'Flashcards' },
  { value: 'activity sheets', label: 'Activity sheets' },
  { value: 'educational games', label: 'Educational games' },
  { value: 'quiz', label: 'Quiz' },
  { value: 'presentation slide content', label: 'Presentation slide content' },
  { value: 'study guides', label: 'Study guides' },
  { value: 'assessment rubrics', label: 'Assessment rubrics' },
];

/** The aid types that the builder makes (S-234). */
export const aidTypes: readonly Option[] = [
  { value: 'worksheets', label: 'Worksheets' },
  { value: 'practice-sheets', label: 'Practice sheets' },
  { value: 'interactive-activities', label: 'Interactive activities' },
  { value: 'games', label: 'Games' },
];

export const aidDifficulties: readonly Option[] = named(['Easy', 'Medium', 'Hard']);

/** Pages of a teaching aid (S-236, S-413). */
export const aidPages = { min: 1, max: 10, publicDefault: 5, fallback: 3 } as const;

/** What the file of a teaching aid is; the first is the default (S-237, S-252). */
export const aidFormats: readonly Option[] = [
  { value: 'docx', label: 'Word Document (.docx)' },
  { value: 'rtf', label: 'Rich Text (.rtf)' },
];

/** The kinds of communication (S-257). */
export const communicationTypes: readonly Option[] = [
  { value: 'whatsapp', label: 'WhatsApp message' },
  { value: 'ptm', label: 'PTM message' },
  { value: 'formal', label: 'Formal letter' },
];

/** How a communication speaks; formal is the default (S-262, S-265). */
export const tones: readonly Option[] = [
  { value: 'formal', label: 'Formal' },
  { value: 'semi-formal', label: 'Semi-formal' },
  { value: 'friendly', label: 'Friendly' },
];

/** Options whose label is what is stored. */
export function named(names: readonly string[]): Option[] {
  return names.map((name) => ({ value: name, label: name }));
}
