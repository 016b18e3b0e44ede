import { expect, test } from 'vitest';
import { boards } from './curriculum';
import { matchingOptions, uniqueCompletion } from './suggestions';

const found = (typed: string) => matchingOptions(boards, typed).map(({ value }) => value);

test('s182_a_board_is_found_by_the_beginnings_of_its_words_in_value_and_label', () => {
  expect(found('')).toHaveLength(30);
  expect(found('mah')).toEqual(['Maharashtra Board']);
  expect(found('CISCE')).toEqual(['ICSE']);
  expect(found('tamil gov')).toEqual(['Tamil Nadu Board']);
  expect(found('My own board')).toEqual([]);
});

test('a_chosen_one_stands_among_all_others', () => {
  expect(found('CBSE ')).toHaveLength(30);
});

test('words_of_indic_scripts_are_words', () => {
  const chapters = [{ value: 'Light', label: 'प्रकाश – परावर्तन' }];
  expect(matchingOptions(chapters, 'परा')).toEqual(chapters);
  expect(matchingOptions(chapters, 'काश')).toEqual([]);
});

test('what_was_typed_is_the_beginning_of_one_option', () => {
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
