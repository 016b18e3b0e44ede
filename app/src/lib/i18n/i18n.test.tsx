import { act, render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { setLanguage, t, tn, useI18n } from './index';

test('placeholders_are_filled_and_unknown_ones_stay', () => {
  expect(t('tools.availableSoon', { tool: 'Exam Support' })).toBe('Exam Support will be available soon.');
  expect(t('tools.availableSoon')).toBe('{tool} will be available soon.');
});

test('numbers_choose_their_form', () => {
  expect(tn('common.credits', 1)).toBe('1 credit');
  expect(tn('common.credits', 20)).toBe('20 credits');
});

test('a_language_without_a_catalogue_leaves_english', async () => {
  function Home() {
    return <p>{useI18n().t('bar.home')}</p>;
  }
  render(<Home />);
  await act(() => setLanguage('xx'));
  expect(screen.getByText('Home')).toBeInTheDocument();
  expect(document.documentElement.lang).toBe('en');
});
