import { expect, test } from 'vitest';
import { boards } from './curriculum';
import { matchingOptions, uniqueCompletion } from './suggestions';

const found = (typed: string) => matchingOptions(boards, typed).map(({ value }) => value);

// rows: S-182
test('a board is found by the beginnings of words in value and label', () => {
  expect(found('')).toHaveLength(30);
  expect(found('mah')).toEqual(['Maharashtra Board']);
  expect(found('CISCE')).toEqual(['ICSE']);
  expect(found('tamil gov')).toEqual(['Tamil Nadu Board']);
  expect(found('My own board')).toEqual([]);
});

test('a chosen option stands among all others', () => {
  expect(found('CBSE ')).toHaveLength(30);
});

test('words of Indic scripts are words', () => {
  const chapters = [{ value: 'Light', label: 'प्रकाश – परावर्तन' }];
  expect(matchingOptions(chapters, 'परा')).toEqual(chapters);
  expect(matchingOptions(chapters, 'काश')).toEqual([]);
});

test('typed text completes to the only option that begins with it', () => {
  const chapters = ['Light – Reflection and Refraction', 'Life Processes', 'Electricity'].map((value) => ({
    value,
    label: value,
  }));
  const one = (typed: string) => uniqueCompletion(chapters, typed)?.value;
  expect(one(' light')).toBe('Light – Reflection and Refraction');
  expect(one('Light Reflection')).toBe('Light – Reflection and Refraction');
  expect(one('li')).toBeUndefined();
  expect(one('Electricity')).toBeUndefined();
  expect(one('Reflection')).toBeUndefined();
  expect(one(' ')).toBeUndefined();
});
