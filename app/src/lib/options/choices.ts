import { classes, type Option } from '../curriculum';
import type { MessageKey, t as Translate } from '../i18n';

/** What can be chosen: `value` is what is sent, `text` what is shown. */
export interface Choice {
  value: string;
  text: MessageKey;
}

/** Choices in the language of the interface. */
export function translateChoices(choices: readonly Choice[], t: typeof Translate): Option[] {
  return choices.map(({ value, text }) => ({ value, label: t(text) }));
}

/** Options whose label is what is sent. */
export function namedOptions(names: readonly string[]): Option[] {
  return names.map((name) => ({ value: name, label: name }));
}

/** `Class 1` to `Class 12`, in the language of the interface. */
export function classOptions(t: typeof Translate): Option[] {
  return classes.map(({ value }, index) => ({
    value,
    label: t('builder.classNumber', { number: index + 1 }),
  }));
}
