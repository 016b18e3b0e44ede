import { expect, test } from 'vitest';
import { withNonBreakingNumbers } from './non-breaking-numbers';

test.each([
  ['within 2 to 6 hours.', 'within 2_to_6_hours.'],
  ['1 से 5 कालांश, 10 बजे', '1_से_5_कालांश, 10_बजे'],
  ['20 credits for 20 rupees', '20_credits for 20_rupees'],
  ['of Class 10, 5 + 5 = 10', 'of Class 10, 5 + 5 = 10'],
])('a number stays on a line with its noun in "%s"', (words, whole) => {
  expect(withNonBreakingNumbers(words)).toBe(whole.replaceAll('_', '\u00a0'));
});
