import type { Option } from '../curriculum';
import type { t as Translate } from '../i18n';

/**
 * The subjects of lesson plans (SPECIFICATION.md S-184).
 * The keys of their texts have the same names.
 */
export const subjects = [
  'Mathematics',
  'Science',
  'Physics',
  'Chemistry',
  'Biology',
  'English',
  'Hindi',
  'Social Studies',
  'History',
  'Geography',
  'Civics',
  'Economics',
  'Computer Science',
  'Physical Education',
  'Art & Craft',
  'Music',
  'Sanskrit',
] as const;

/** Subjects of question papers: the common ones and four more (S-213). */
export const paperSubjects = [...subjects, 'Maths', 'Telugu', 'Marathi', 'Kannada'] as const;

/** Subjects of teaching aids (S-233). */
export const aidSubjects = [
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
] as const;

type Subject = (typeof paperSubjects)[number];

/** Returns subjects in the language of the interface. */
export function subjectOptions(names: readonly Subject[], t: typeof Translate): Option[] {
  return names.map((name) => ({ value: name, label: t(`subject.${name}`) }));
}
