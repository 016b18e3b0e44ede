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
  test('s072_makes_no_call', () => {
    const fetch = vi.fn();
    vi.stubGlobal('fetch', fetch);
    show();
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('done before the bell.');
    expect(fetch).not.toHaveBeenCalled();
  });

  test('s059_s060_s061_s062_s063_banner_sign_up_four_tools_eight_coming', () => {
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

  test('s055_the_current_entry_of_the_bar_is_marked', () => {
    show();
    const bar = screen.getByRole('navigation', { name: 'Main' });
    expect(
      within(bar)
        .getAllByRole('link')
        .map((link) => link.textContent),
    ).toEqual(['Home', 'About Us', 'Blogs', 'FAQs']);
    expect(within(bar).getByRole('link', { name: 'Home' })).toHaveAttribute('aria-current', 'page');
  });

  test('s064_s071_whatsapp_and_instagram_open_in_a_new_tab', () => {
    show();
    for (const name of ['Chat on WhatsApp', 'Follow']) {
      const link = screen.getByRole('link', { name });
      expect(link).toHaveAttribute('target', '_blank');
      expect(link).toHaveAttribute('rel', 'noopener');
    }
    const chat = screen.getByRole('link', { name: 'Chat on WhatsApp' }).getAttribute('href') ?? '';
    expect(new URL(chat).searchParams.get('text')).toMatch(/^Namaste/);
  });

  test('the_board_shows_the_plan_of_the_total_that_is_picked', async () => {
    show();
    expect(screen.getByText('100 / 100')).toBeInTheDocument();
    await userEvent.click(screen.getByRole('radio', { name: '50' }));
    expect(screen.getByText('50 / 50')).toBeInTheDocument();
    expect(screen.getByText('24 questions, 120 minutes')).toBeInTheDocument();
  });

  test('s069_s070_three_voices_stand_on_a_page_and_nothing_moves_by_itself', () => {
    vi.useFakeTimers();
    show();
    const carousel = screen.getByRole('region', { name: 'From the staff room' });
    expect(within(carousel).getAllByRole('listitem')).toHaveLength(3);
    act(() => {
      vi.advanceTimersByTime(60_000);
    });
    expect(screen.getByText('Page 1 of 5')).toBeInTheDocument();
  });

  test('s067_the_voices_speak_the_language_of_the_reader', async () => {
    await setLanguage('hi');
    show();
    const carousel = screen.getByRole('region', { name: 'स्टाफ़ रूम से' });
    for (const voice of within(carousel).getAllByRole('listitem')) {
      expect(voice.textContent).not.toMatch(/[a-z]{3}/);
    }
    await setLanguage('en');
  });

  test('s061_the_sheets_of_the_tools_are_in_the_language_of_the_reader', async () => {
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

  test('s068_the_carousel_goes_around_in_both_directions', async () => {
    show();
    expect(screen.getByText('Page 1 of 5')).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: 'Previous voices' }));
    expect(screen.getByText('Page 5 of 5')).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: 'Next voices' }));
    expect(screen.getByText('Page 1 of 5')).toBeInTheDocument();
  });
});

test('every_plan_on_the_board_adds_up_to_its_total', () => {
  for (const { sections, totalMarks } of samplePlans) {
    expect(sections.reduce((marks, section) => marks + marksOf(section), 0)).toBe(totalMarks);
  }
});

test('s066_s067_s412_fifteen_testimonials_three_to_a_page_one_of_20_rupees', () => {
  expect(testimonials).toHaveLength(15);
  expect(new Set(testimonials.map((voice) => voice.author)).size).toBe(15);
  expect(pageCount).toBe(5);
  expect(pageAfter(4, 1)).toBe(0);
  expect(pageAfter(0, -1)).toBe(4);
  expect(testimonials.some((voice) => t(voice.text).includes('question paper costs me 20\u00a0rupees'))).toBe(
    true,
  );
});

test('the_marks_of_the_sample_paper_add_up', () => {
  expect(totalMarks(samplePaper.sections)).toBe(20);
});
