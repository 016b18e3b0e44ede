import { act, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { restoreLanguage, setLanguage, t, tn, useI18n } from './index';

beforeEach(() => setLanguage('en'));
afterEach(() => act(() => setLanguage('en')));

function Home() {
  const { t: text } = useI18n();
  return <p>{text('bar.home')}</p>;
}

test('placeholders_are_filled_and_unknown_ones_stay', () => {
  expect(t('tools.availableSoon', { tool: 'Exam Support' })).toBe('Exam Support will be available soon.');
  expect(t('tools.availableSoon')).toBe('{tool} will be available soon.');
});

test('numbers_choose_their_form', () => {
  expect(tn('common.credits', 1)).toBe('1 credit');
  expect(tn('common.credits', 20)).toBe('20 credits');
  expect(tn('common.credits', 125_000)).toBe('1,25,000 credits');
});

test('s315_a_chosen_language_is_shown_at_once_and_kept_on_the_device', async () => {
  render(<Home />);
  expect(screen.getByText('Home')).toBeInTheDocument();
  await act(() => setLanguage('hi'));
  expect(screen.getByText('होम')).toBeInTheDocument();
  expect(document.documentElement.lang).toBe('hi');
  expect(localStorage.getItem('language')).toBe('hi');
});

test('s315_the_language_of_the_last_visit_is_restored', async () => {
  render(<Home />);
  localStorage.setItem('language', 'gu');
  await act(() => restoreLanguage());
  expect(screen.getByText('હોમ')).toBeInTheDocument();
});

test('s315_an_unknown_stored_language_leaves_english', async () => {
  render(<Home />);
  localStorage.setItem('language', 'xx');
  await act(() => restoreLanguage());
  expect(screen.getByText('Home')).toBeInTheDocument();
});
