import { act, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { restoreLanguage, setLanguage, t, tn, useI18n } from './index';

beforeEach(() => setLanguage('en'));
afterEach(() => act(() => setLanguage('en')));

function Home() {
  const { t: text } = useI18n();
  return <p>{text('bar.home')}</p>;
}

test('placeholders are filled and unknown ones stay', () => {
  expect(t('tools.availableSoon', { tool: 'Exam Support' })).toBe('Exam Support will be available soon.');
  expect(t('tools.availableSoon')).toBe('{tool} will be available soon.');
});

test('numbers choose their plural form', () => {
  expect(tn('common.credits', 1)).toBe('1 credit');
  expect(tn('common.credits', 20)).toBe('20 credits');
  expect(tn('common.credits', 125_000)).toBe('1,25,000 credits');
});

// rows: S-315
test('a chosen language is shown at once and stays on the device', async () => {
  render(<Home />);
  expect(screen.getByText('Home')).toBeInTheDocument();
  await act(() => setLanguage('hi'));
  expect(screen.getByText('होम')).toBeInTheDocument();
  expect(document.documentElement.lang).toBe('hi');
  expect(localStorage.getItem('language')).toBe('hi');
});

// rows: S-315
test('the language of the last visit is restored', async () => {
  render(<Home />);
  localStorage.setItem('language', 'gu');
  await act(() => restoreLanguage());
  expect(screen.getByText('હોમ')).toBeInTheDocument();
});

// rows: S-315
test('an unknown stored language leaves English', async () => {
  render(<Home />);
  localStorage.setItem('language', 'xx');
  await act(() => restoreLanguage());
  expect(screen.getByText('Home')).toBeInTheDocument();
});
