import { expect, test, vi } from 'vitest';
import { setLanguage, t } from './index';

vi.mock('@/locales/hi/core.json', () => ({ default: { 'bar.home': 'होम' } }));

test('s320_a_text_without_a_translation_is_english', async () => {
  await setLanguage('hi');
  expect(t('bar.home')).toBe('होम');
  expect(t('bar.profile')).toBe('Profile');
  await setLanguage('en');
});
