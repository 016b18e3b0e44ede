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

test('s178_s205_chapters_of_a_class_and_subject_come_from_the_catalogue', () => {
  expect(titles('Class 10', 'Science')).toContain('Electricity');
  expect(titles('10th', 'Physics')).toEqual(titles('Class 10', 'Science'));
  expect(titles('Class 7', 'Maths')).toHaveLength(15);
  expect(titles('Class 12', 'Music')).toEqual([]);
  expect(titles('', '')).toEqual([]);
});

test('a_chapter_is_found_by_the_title_of_another_edition_too', () => {
  const found = matchingOptions(chaptersOf(catalogue, 'Class 6', 'Mathematics'), 'integers');
  expect(found.map(({ value }) => value)).toEqual(['The Other Side of Zero']);
});
