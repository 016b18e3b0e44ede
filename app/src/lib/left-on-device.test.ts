import { expect, test } from 'vitest';
import { forgetTyped } from './left-on-device';

test('what a user typed is forgotten, and nothing else', () => {
  const kept = { language: 'hi', 'draft.generate-lesson-plan.bina': '{}', 'payment.asha': '{}' };
  for (const storage of [localStorage, sessionStorage]) {
    for (const [key, value] of Object.entries(kept)) storage.setItem(key, value);
    storage.setItem('draft.generate-lesson-plan.asha', '{"chapter":"Light"}');
    storage.setItem('pending.generate-question-paper.asha', '{}');
  }
  forgetTyped('asha');
  for (const storage of [localStorage, sessionStorage]) {
    const left = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '');
    expect(Object.fromEntries(left.map((key) => [key, storage.getItem(key)]))).toEqual(kept);
  }
});
