import { expect, test, vi } from 'vitest';
import { setLanguage, t } from './index';

vi.mock('@/locales/hi/core.json', () => ({ default: { 'bar.home': 'होम' } }));

// rows: S-320
test('a text without a translation is English', async () => {
  await setLanguage('hi');
  expect(t('bar.home')).toBe('होम');
  expect(t('bar.profile')).toBe('Profile');
  await setLanguage('en');
});
