import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { setLanguage } from '@/lib/i18n';
import { showRoute } from '@/test/show-route';
import AuthRoute from './auth';

// rows: S-022
test('the language and the terms are offered before signing in', async () => {
  const { person } = showRoute(<AuthRoute />, { user: null });
  expect(screen.getByRole('link', { name: 'Terms & Conditions' })).toHaveAttribute('href', '/terms');
  expect(screen.getByRole('link', { name: 'Privacy Policy' })).toHaveAttribute('href', '/privacy');
  await person.selectOptions(screen.getByLabelText('Language'), 'gu');
  expect(await screen.findByLabelText('ભાષા')).toHaveValue('gu');
  await setLanguage('en');
});
