import { classes, type Option } from './curriculum';
import type { MessageKey, t as Translate } from './i18n';
import { aidClasses } from './tool-options';

/** The text of an option's value, where the interface has one: values are what is sent, texts what is shown. */
export type OptionTexts = Readonly<Partial<Record<string, MessageKey>>>;

/** Options in the language of the interface; one without a text keeps its label. */
export function inWords(options: readonly Option[], texts: OptionTexts, t: typeof Translate): Option[] {
  return options.map(({ value, label }) => {
    const key = texts[value];
    return { value, label: key ? t(key) : label };
  });
}

/** `Class 1` to `Class 12`, in the language of the interface. */
export function classOptions(t: typeof Translate): Option[] {
  return classes.map(({ value }, index) => ({
    value,
    label: t('builder.classNumber', { number: index + 1 }),
  }));
}

/** `1st` to `12th` in English (screens.md S-232); the other languages have one way to say a class. */
export function ordinalClassOptions(t: typeof Translate, language: string): Option[] {
  return aidClasses.map((option, index) =>
    language === 'en' ? option : { ...option, label: t('builder.classNumber', { number: index + 1 }) },
  );
}

/** Every subject that a form offers. */
export const subjectTexts: OptionTexts = {
  Mathematics: 'subject.Mathematics',
  Science: 'subject.Science',
  Physics: 'subject.Physics',
  Chemistry: 'subject.Chemistry',
  Biology: 'subject.Biology',
  English: 'subject.English',
  Hindi: 'subject.Hindi',
  'Social Studies': 'subject.Social Studies',
  History: 'subject.History',
  Geography: 'subject.Geography',
  Civics: 'subject.Civics',
  Economics: 'subject.Economics',
  'Computer Science': 'subject.Computer Science',
  'Physical Education': 'subject.Physical Education',
  'Art & Craft': 'subject.Art & Craft',
  Music: 'subject.Music',
  Sanskrit: 'subject.Sanskrit',
  Maths: 'subject.Maths',
  Telugu: 'subject.Telugu',
  Marathi: 'subject.Marathi',
  Kannada: 'subject.Kannada',
};
