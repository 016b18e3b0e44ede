import { expect, test } from 'vitest';
import table from '../../../../functions/_shared/data/typed-languages.json';
import { messageLanguage } from './message-language';

test.each(table)('d19 "$typed": $language', ({ typed, language }) => {
  expect(messageLanguage(typed).code).toBe(language);
});
