import { expect, test } from 'vitest';
import table from '../../../../functions/_shared/data/typed-languages.json';
import rules from '../../../../functions/_shared/src/checks/language.rs?raw';
import { hindi, marathi, marathiEndings, messageLanguage, places } from './message-language';

// rows: D19
test.each(table)('the language of "$typed" is $language', ({ typed, beside = '', language }) => {
  expect(messageLanguage(typed, beside).code).toBe(language);
});

// rows: D19
test.each([
  ['TYPED_HINDI', hindi],
  ['TYPED_MARATHI', marathi],
  ['MARATHI_ENDINGS', marathiEndings],
  ['PLACES', places],
])('the words of %s are those of the function', (name, words) => {
  const list =
    new RegExp(`const ${name}: (?:&\\[&str\\]|\\[&str; \\d+\\]) =\\s*&?\\[([^\\]]*)\\]`).exec(rules)?.[1] ??
    '';
  expect([...list.matchAll(/"([^"]+)"/g)].map(([, word]) => word)).toEqual(words.split(' '));
});
