import { expect, test } from 'vitest';
import table from '../../../functions/_shared/data/document-languages.json';
import type { Estimate } from './api/estimate';
import { documentLanguage, estimatedLanguage, languageName } from './document-language';

test.each(table)('$subject, $board, "$typed": $language', ({ language, ...asked }) => {
  expect(documentLanguage(asked).code).toBe(language);
});

test('the language says what decided it', () => {
  const by = (subject: string, typed: string) => documentLanguage({ board: 'CBSE', subject, typed }).by;
  expect(by('Hindi', 'Surdas ke pad')).toBe('subject');
  expect(by('Science', 'विद्युत')).toBe('chapter');
  expect(by('Science', 'மின்சாரம்')).toBe('script');
});

test('the estimate knows better in which languages the bank has a chapter', () => {
  const asked = { board: 'CBSE', subject: 'Science', typed: 'विद्युत' };
  const estimate: Estimate = {
    generator: 'template',
    language: 'en',
    standIn: 'chapter',
    coverage: 0.9,
    label: '',
    warnings: [],
  };
  expect(estimatedLanguage(asked, estimate)).toEqual({ code: 'en', by: 'bank' });
  expect(estimatedLanguage(asked, { ...estimate, language: 'hi', standIn: null })).toEqual({
    code: 'hi',
    by: 'chapter',
  });
  expect(estimatedLanguage(asked, undefined)).toEqual({ code: 'hi', by: 'chapter' });
});

test('an unknown language code is shown as it is', () => {
  expect(languageName('hi', 'en')).toBe('Hindi');
  expect(languageName('not a code', 'en')).toBe('not a code');
});
