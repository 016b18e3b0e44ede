import { expect, test } from 'vitest';
import { placeRows, type PlacedRow } from './use-rows-in-place';

const keyOf = (row: string) => row.charAt(0);
const shown = (...rows: string[]): PlacedRow<string>[] =>
  rows.map((row) => ({ key: keyOf(row), row, gone: false }));

// rows: S-439
test('a new row stands at the end', () => {
  expect(placeRows(shown('b', 'c'), ['a', 'b', 'c'], keyOf)).toEqual(shown('b', 'c', 'a'));
});

// rows: S-439
test('a row that is gone keeps its place, and comes back there', () => {
  const without = placeRows(shown('a', 'b', 'c'), ['a', 'c'], keyOf);
  expect(without.map(({ row, gone }) => [row, gone])).toEqual([
    ['a', false],
    ['b', true],
    ['c', false],
  ]);
  expect(placeRows(without, ['a', 'b2', 'c'], keyOf)).toEqual(shown('a', 'b2', 'c'));
});
