import { expect, test } from 'vitest';
import books from '../../../functions/_bank/data/catalogue.json';
import { matchingOptions } from '@/lib/suggestions';
import { chaptersOf } from './chapters';

const catalogue = books.map((book) => ({
  ...book,
  chapters: book.chapters.map((chapter) => ({ also: [], ...chapter })),
}));
const titles = (grade: string, subject: string) =>
  chaptersOf(catalogue, grade, subject).map(({ value }) => value);

// rows: S-178 S-205
test('chapters of a class and subject come from the catalogue', () => {
  expect(titles('Class 10', 'Science')).toContain('Electricity');
  expect(titles('10th', 'Physics')).toEqual(titles('Class 10', 'Science'));
  expect(titles('Class 7', 'Maths')).toHaveLength(15);
  expect(titles('Class 12', 'Music')).toEqual([]);
  expect(titles('', '')).toEqual([]);
});

test('a chapter is found by its title in another edition, too', () => {
  const found = matchingOptions(chaptersOf(catalogue, 'Class 6', 'Mathematics'), 'integers');
  expect(found.map(({ value }) => value)).toEqual(['The Other Side of Zero']);
});
