import { act, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { MemoryRouter } from 'react-router';
import { describe, expect, test, vi } from 'vitest';
import { setLanguage } from '@/lib/i18n';
import { sessionStorageKey } from '@/lib/stored-session';
import { App } from '../app';

function open(...paths: string[]) {
  render(
    <MemoryRouter initialEntries={paths}>
      <App />
    </MemoryRouter>,
  );
}

async function heading(name: string | RegExp) {
  return screen.findByRole('heading', { level: 1, name }, { timeout: 5_000 });
}

describe('the static pages', { timeout: 20_000 }, () => {
  // rows: S-023 S-096
  test('About Us has mission, vision, story, three features and the QR code', async () => {
    open('/about-us');
    await heading('For the staff rooms of India');
    for (const name of ['Our mission', 'Our vision', 'Our story']) {
      expect(screen.getByRole('region', { name })).toBeInTheDocument();
    }
    const features = screen.getByRole('region', { name: 'What we hold ourselves to' });
    expect(within(features).getAllByRole('listitem')).toHaveLength(3);
    expect(await screen.findByRole('img', { name: 'QR code of our Instagram page' })).toBeInTheDocument();
  });

  // rows: S-013 S-015 S-097
  test('About has its labels and its 50 credits', async () => {
    open('/about');
    await heading('About Shikshak Saathi');
    for (const name of ['Question papers', 'Worksheets']) {
      expect(screen.getByRole('heading', { name: `${name} Coming Soon` })).toBeInTheDocument();
    }
    expect(screen.getByRole('heading', { name: 'Lesson plans' })).toBeInTheDocument();
    expect(screen.getByText(/50 free credits/)).toBeInTheDocument();
  });

  // rows: S-012 S-014
  test('the static pages make their claims', async () => {
    open('/about');
    await heading('About Shikshak Saathi');
    const page = screen.getByRole('main');
    for (const claim of [
      'CBSE, ICSE and State Boards',
      'Class 1 to 12',
      'One to two minutes',
      'before credits are spent',
      'only on successful generation',
      'never expire',
      'top up at any time',
    ]) {
      expect(page).toHaveTextContent(claim);
    }
  });

  // rows: S-098 S-100
  test('one of ten questions is open', async () => {
    open('/faqs');
    await heading('Frequently asked questions');
    const questions = within(screen.getByRole('main')).getAllByRole('button');
    expect(questions).toHaveLength(10);
    const isOpen = () => questions.map((question) => question.getAttribute('aria-expanded'));
    expect(isOpen().filter((state) => state === 'true')).toHaveLength(1);
    await userEvent.click(screen.getByRole('button', { name: 'How can I pay?' }));
    expect(isOpen().filter((state) => state === 'true')).toHaveLength(1);
    expect(screen.getByRole('region', { name: 'How can I pay?' })).toHaveTextContent('PhonePe');
    await userEvent.click(screen.getByRole('button', { name: 'How can I pay?' }));
    expect(isOpen().every((state) => state === 'false')).toBe(true);
  });

  // rows: S-099
  test('the questions stand in the order of their topics', async () => {
    open('/faqs');
    await heading('Frequently asked questions');
    const topics = [
      /What is/,
      /kinds of content/,
      /boards and classes/,
      /How long/,
      /cost/,
      /preview/,
      /demo classes/,
      /pay/,
      /install/,
      /data safe/,
    ];
    const questions = within(screen.getByRole('main')).getAllByRole('button');
    topics.forEach((topic, index) => {
      expect(questions[index]?.textContent).toMatch(topic);
    });
  });

  // rows: S-101 S-102
  test('the sitemap lists nine pages', async () => {
    open('/sitemap');
    await heading('Sitemap');
    const links = within(screen.getByRole('navigation', { name: 'Sitemap' })).getAllByRole('link');
    expect(links.map((link) => [link.firstChild?.textContent, link.getAttribute('href')])).toEqual([
      ['Home', '/'],
      ['Lesson Plans', '/public-lesson-plan'],
      ['Question Papers', '/public-question-paper'],
      ['Pricing', '/subscription'],
      ['About Us', '/about-us'],
      ['Blogs', '/blogs'],
      ['FAQs', '/faqs'],
      ['Terms & Conditions', '/terms'],
      ['Privacy Policy', '/privacy'],
    ]);
  });

  // rows: S-010 S-090
  test('the terms have ten sections with the required statements', async () => {
    open('/terms');
    await heading('Terms & Conditions');
    expect(screen.getAllByRole('heading', { level: 2 })).toHaveLength(10);
    const terms = screen.getByRole('main').textContent;
    for (const rule of [
      'keep all rights',
      'may not resell',
      'end this agreement at any time',
      '30\u00a0days',
    ]) {
      expect(terms).toContain(rule);
    }
  });

  // rows: S-091 S-092 S-093
  test('Accept is off until the box is ticked, and it stores nothing', async () => {
    open('/terms');
    await heading('Terms & Conditions');
    const accept = () => screen.getByRole('link', { name: 'Accept & Continue' });
    expect(accept()).toHaveAttribute('aria-disabled', 'true');
    expect(accept()).not.toHaveAttribute('href');
    expect(accept()).not.toHaveAttribute('tabindex');
    await userEvent.click(accept());
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Terms & Conditions');
    await userEvent.click(
      screen.getByRole('checkbox', { name: 'I have read and agree to the Terms & Conditions' }),
    );
    await userEvent.click(accept());
    await heading(/done before the bell/);
    expect(localStorage).toHaveLength(0);
    expect(sessionStorage).toHaveLength(0);
  });

  // rows: S-092
  test('Go Back leads to the page before', async () => {
    open('/sitemap');
    await heading('Sitemap');
    await userEvent.click(screen.getByRole('link', { name: /^Terms & Conditions What/ }));
    await heading('Terms & Conditions');
    await userEvent.click(screen.getByRole('link', { name: 'Go Back' }));
    await heading('Sitemap');
  });

  // rows: S-094 S-095
  test('the privacy policy has the current day in India', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    vi.setSystemTime('2026-12-24T18:29:30Z');
    open('/privacy');
    await heading('Privacy Policy');
    expect(screen.getByText('Last updated: 24-12-2026')).toBeInTheDocument();
    // The clock moves in two steps, because on a slow machine
    // the page may start to watch it only within the first.
    for (const step of [30_000, 31_000]) {
      await act(() => vi.advanceTimersByTimeAsync(step));
    }
    expect(screen.getByText('Last updated: 25-12-2026')).toBeInTheDocument();
  });

  // rows: S-011 S-094
  test('the privacy policy has ten sections, sells nothing and excludes children', async () => {
    open('/privacy');
    await heading('Privacy Policy');
    expect(screen.getAllByRole('heading', { level: 2 })).toHaveLength(10);
    const policy = screen.getByRole('main').textContent;
    expect(policy).toContain('No data is sold');
    expect(policy).toContain('children under 13');
  });

  // rows: S-320
  test.each(['/about-us', '/about', '/faqs', '/sitemap', '/public-lesson-plan', '/public-question-paper'])(
    '%s follows the language of the reader',
    async (path) => {
      await setLanguage('hi');
      open(path);
      await heading(/[\u0900-\u097f]/);
      const main = screen.getByRole('main');
      expect(main).toHaveAttribute('lang', 'hi');
      const english = [...main.querySelectorAll('h2, h3, p, label, button')]
        .map((element) => element.textContent)
        .filter((text) => !/[\u0900-\u097f]/.test(text) && /[a-z]{3}/.test(text));
      expect(english).toEqual([]);
      await setLanguage('en');
    },
  );

  test.each(['/terms', '/privacy'])(
    '%s says in the language of the reader which text is binding',
    async (path) => {
      await setLanguage('gu');
      open(path);
      await heading(/^Terms|^Privacy/);
      expect(screen.getByRole('main')).toHaveAttribute('lang', 'en');
      expect(await screen.findByText(/આ જ અંગ્રેજી લખાણ માન્ય/)).toHaveAttribute('lang', 'gu');
      await act(() => setLanguage('en'));
      expect(screen.queryByText(/અંગ્રેજી લખાણ/)).toBeNull();
    },
  );

  // rows: S-056
  test('the header navigates without a reload, and the new page has the focus', async () => {
    open('/faqs');
    await heading('Frequently asked questions');
    await userEvent.click(
      within(screen.getByRole('navigation', { name: 'Main' })).getByRole('link', { name: 'About Us' }),
    );
    await heading('For the staff rooms of India');
    expect(screen.getByRole('main')).toHaveFocus();
    expect(document.title).toBe('About Us · Shikshak Saathi');
    expect(document.querySelectorAll('link[rel="canonical"]')).toHaveLength(1);
    expect(document.querySelector('link[rel="canonical"]')).toHaveAttribute(
      'href',
      `${window.location.origin}/about-us`,
    );
  });

  test('signed-in users find their tools where visitors find Sign up', async () => {
    open('/terms');
    await heading(/^Terms/);
    expect(screen.getByRole('link', { name: 'Sign up' })).toHaveAttribute('href', '/auth');
    localStorage.setItem(sessionStorageKey, '{}');
    act(() => {
      window.dispatchEvent(new StorageEvent('storage', { key: sessionStorageKey }));
    });
    expect(screen.getByRole('link', { name: 'My tools' })).toHaveAttribute('href', '/home');
    expect(screen.queryByRole('link', { name: 'Sign up' })).toBeNull();
    localStorage.clear();
  });
});
