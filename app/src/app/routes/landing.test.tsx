import { act, cleanup, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { MemoryRouter } from 'react-router';
import { describe, expect, test, vi } from 'vitest';
import { samplePaper, totalMarks } from '@/features/landing/sample-paper';
import { pageAfter, pageCount, testimonials } from '@/features/landing/testimonials';
import { marksOf, samplePlans } from '@/features/landing/sample-plans';
import { setLanguage, t } from '@/lib/i18n';
import LandingRoute from './landing';

function show() {
  render(
    <MemoryRouter>
      <LandingRoute />
    </MemoryRouter>,
  );
}

describe('the landing page', () => {
  // rows: S-072
  test('the landing page makes no call', () => {
    const fetch = vi.fn();
    vi.stubGlobal('fetch', fetch);
    show();
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('done before the bell.');
    expect(fetch).not.toHaveBeenCalled();
  });

  // rows: S-059 S-060 S-061 S-062 S-063
  test('the page has banner, Sign up, four tools and eight announced tools', () => {
    show();
    expect(screen.getByText('Sign up today and get 50 free credits')).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Sign up' })).toHaveAttribute('href', '/auth');
    const targets = screen
      .getAllByRole('link', { name: /^Get Started/ })
      .map((link) => link.getAttribute('href'));
    expect(targets).toEqual([
      '/public-lesson-plan',
      '/public-question-paper',
      '/public-teaching-aids',
      '/public-communication-tool',
    ]);
    expect(screen.getByRole('link', { name: 'Student Engagement' })).toHaveAttribute('href', '/auth');
  });

  // rows: S-055
  test('the header marks the current entry', () => {
    show();
    const bar = screen.getByRole('navigation', { name: 'Main' });
    expect(
      within(bar)
        .getAllByRole('link')
        .map((link) => link.textContent),
    ).toEqual(['Home', 'About Us', 'Blogs', 'FAQs']);
    expect(within(bar).getByRole('link', { name: 'Home' })).toHaveAttribute('aria-current', 'page');
  });

  // rows: S-064 S-071
  test('WhatsApp and Instagram open in a new tab', () => {
    show();
    for (const name of ['Chat on WhatsApp', 'Follow']) {
      const link = screen.getByRole('link', { name });
      expect(link).toHaveAttribute('target', '_blank');
      expect(link).toHaveAttribute('rel', 'noopener');
    }
    const chat = screen.getByRole('link', { name: 'Chat on WhatsApp' }).getAttribute('href') ?? '';
    expect(new URL(chat).searchParams.get('text')).toMatch(/^Namaste/);
  });

  test('the board shows the plan of the chosen total', async () => {
    show();
    expect(screen.getByText('100 / 100')).toBeInTheDocument();
    await userEvent.click(screen.getByRole('radio', { name: '50' }));
    expect(screen.getByText('50 / 50')).toBeInTheDocument();
    expect(screen.getByText('24 questions, 120 minutes')).toBeInTheDocument();
  });

  // rows: S-069 S-070
  test('a page has three testimonials and nothing moves by itself', () => {
    vi.useFakeTimers();
    show();
    const carousel = screen.getByRole('region', { name: 'From the staff room' });
    expect(within(carousel).getAllByRole('listitem')).toHaveLength(3);
    act(() => {
      vi.advanceTimersByTime(60_000);
    });
    expect(screen.getByText('Page 1 of 5')).toBeInTheDocument();
  });

  // rows: S-067
  test('testimonials are in the language of the reader', async () => {
    await setLanguage('hi');
    show();
    const carousel = screen.getByRole('region', { name: 'स्टाफ़ रूम से' });
    for (const voice of within(carousel).getAllByRole('listitem')) {
      expect(voice.textContent).not.toMatch(/[a-z]{3}/);
    }
    await setLanguage('en');
  });

  // rows: S-061
  test('the sample sheets of the tools are in the language of the reader', async () => {
    for (const language of ['hi', 'mr', 'gu'] as const) {
      await setLanguage(language);
      show();
      const sheets = [...document.querySelectorAll('.tool-sheet')].map((sheet) => sheet.textContent);
      expect(sheets).toHaveLength(4);
      for (const text of sheets) expect(text).not.toMatch(/[a-z]{3}/i);
      cleanup();
    }
    await setLanguage('en');
  });

  // rows: S-068
  test('the carousel goes around in both directions', async () => {
    show();
    expect(screen.getByText('Page 1 of 5')).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: 'Previous voices' }));
    expect(screen.getByText('Page 5 of 5')).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: 'Next voices' }));
    expect(screen.getByText('Page 1 of 5')).toBeInTheDocument();
  });
});

test('every plan on the board adds up to its total', () => {
  for (const { sections, totalMarks } of samplePlans) {
    expect(sections.reduce((marks, section) => marks + marksOf(section), 0)).toBe(totalMarks);
  }
});

// rows: S-066 S-067 S-412
test('there are fifteen testimonials, three to a page, and one names 20 rupees', () => {
  expect(testimonials).toHaveLength(15);
  expect(new Set(testimonials.map((voice) => voice.author)).size).toBe(15);
  expect(pageCount).toBe(5);
  expect(pageAfter(4, 1)).toBe(0);
  expect(pageAfter(0, -1)).toBe(4);
  expect(testimonials.some((voice) => t(voice.text).includes('question paper costs me 20\u00a0rupees'))).toBe(
    true,
  );
});

test('the marks of the sample paper add up', () => {
  expect(totalMarks(samplePaper.sections)).toBe(20);
});
