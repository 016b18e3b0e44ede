import { classes, type Option } from '../curriculum';
import type { MessageKey, t as Translate } from '../i18n';

/** An option. `value` is sent and `text` is shown. */
export interface Choice {
  value: string;
  text: MessageKey;
}

/** Returns choices with labels in the language of the interface. */
export function translateChoices(choices: readonly Choice[], t: typeof Translate): Option[] {
  return choices.map(({ value, text }) => ({ value, label: t(text) }));
}

/** Returns options whose label is their value. */
export function namedOptions(names: readonly string[]): Option[] {
  return names.map((name) => ({ value: name, label: name }));
}

/** Returns `Class 1` to `Class 12`, in the language of the interface. */
export function classOptions(t: typeof Translate): Option[] {
  return classes.map(({ value }, index) => ({
    value,
    label: t('builder.classNumber', { number: index + 1 }),
  }));
}
