import { expect, test } from 'vitest';
import { boards, classes, subjects } from './curriculum';

test('s182_to_s184_thirty_boards_twelve_classes_seventeen_subjects', () => {
  expect(new Set(boards.map((board) => board.value)).size).toBe(30);
  expect(classes.map((entry) => entry.label)).toContain('Class 12');
  expect(classes).toHaveLength(12);
  expect(new Set(subjects.map((subject) => subject.value)).size).toBe(17);
});
