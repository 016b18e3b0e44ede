import { expect, test } from 'vitest';
import { clearUserData } from './clear-user-data';

test('a sign-out clears what the user typed, and nothing else', () => {
  const kept = { language: 'hi', 'draft.generate-lesson-plan.bina': '{}', 'payment.asha': '{}' };
  for (const [key, value] of Object.entries(kept)) localStorage.setItem(key, value);
  localStorage.setItem('draft.generate-lesson-plan.asha', '{"chapter":"Light"}');
  localStorage.setItem('pending.generate-question-paper.asha', '{}');
  localStorage.setItem('draft.generate-teaching-aids.visitor', '{"chapter":"Sound"}');
  sessionStorage.setItem('draft.generate-teaching-aids.visitor', '{"chapter":"Light"}');
  clearUserData('asha');
  expect(sessionStorage).toHaveLength(0);
  const left = Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index) ?? '');
  expect(Object.fromEntries(left.map((key) => [key, localStorage.getItem(key)]))).toEqual(kept);
});
