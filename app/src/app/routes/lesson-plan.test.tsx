import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type FakeApi, FakeWallet, json, noNetwork } from '@/test/fake-api';
import {
  download,
  generate,
  generationsOf,
  mail,
  plansAreMade,
  show,
  start,
} from '@/test/lesson-plan-screen';

let api: FakeApi;
let saved: string[];

const generations = () => generationsOf(api);

beforeEach(() => {
  ({ api, saved } = plansAreMade());
});

describe('the lesson-plan builder', { timeout: 20_000 }, () => {
  // rows: S-178 S-179 S-181 S-183 S-205
  test('the form has its three parts and options', () => {
    new FakeWallet(api, 40);
    show();
    for (const name of ['Board', 'Details', 'Generate']) {
      expect(screen.getByRole('heading', { level: 2, name: new RegExp(name) })).toBeInTheDocument();
    }
    for (const label of ['Board', 'Class', 'Subject', 'Chapter', 'Book', 'Publisher', 'Number of periods']) {
      expect(screen.getByLabelText(label)).toBeInTheDocument();
    }
    const options = (label: string) =>
      within(screen.getByLabelText(label))
        .getAllByRole<HTMLOptionElement>('option')
        .map(({ textContent }) => textContent);
    expect(options('Number of periods')).toEqual(['1', '2', '3', '4', '5']);
    expect(options('Class').slice(1)).toHaveLength(12);
    expect(options('Subject')).toHaveLength(1 + 17);
    expect(screen.getByLabelText(/^Sample lesson/)).toHaveAttribute('accept');
  });

  // rows: S-182
  test('a board is searched, chosen with the keys or typed', async () => {
    new FakeWallet(api, 40);
    const person = show();
    const board = screen.getByRole('combobox', { name: 'Board' });
    await person.click(board);
    expect(screen.getAllByRole('option', { name: /Board|CBSE/ }).length).toBeGreaterThan(20);
    await person.type(board, 'maha');
    const list = screen.getByRole('listbox', { name: 'Board' });
    expect(within(list).getAllByRole('option')).toHaveLength(1);
    await person.keyboard('{ArrowDown}{Enter}');
    expect(board).toHaveValue('Maharashtra Board');
    expect(screen.queryByRole('listbox')).toBeNull();
    await person.clear(board);
    await person.type(board, 'Our own board');
    expect(screen.queryByRole('listbox')).toBeNull();
    await person.tab();
    expect(board).toHaveValue('Our own board');
  });

  // rows: S-178
  test('chapters of class and subject are offered, and others may be typed', async () => {
    new FakeWallet(api, 40);
    const person = show();
    await person.selectOptions(screen.getByLabelText('Class'), 'Class 10');
    await person.selectOptions(screen.getByLabelText('Subject'), 'Science');
    const chapter = screen.getByRole('combobox', { name: 'Chapter' });
    await person.type(chapter, 'elec');
    await person.click(await screen.findByRole('option', { name: /^Electricity/ }));
    expect(chapter).toHaveValue('Electricity');
    expect(chapter).toHaveFocus();
    await person.keyboard('{Escape}');
    expect(screen.queryByRole('listbox')).toBeNull();
  });

  // rows: S-186 S-188
  test('the generate step has its two buttons', async () => {
    new FakeWallet(api, 40);
    const person = show();
    expect(screen.queryByRole('button', { name: /^Download All Lesson Plans/ })).toBeNull();
    await start(person);
    expect(download()).toBeEnabled();
    expect(mail()).toBeEnabled();
  });

  // rows: S-187
  test('Enter in an incomplete form says what is missing', async () => {
    new FakeWallet(api, 60);
    const person = show();
    await person.type(screen.getByLabelText('Chapter'), 'Electricity');
    fireEvent.submit(screen.getByLabelText('Chapter'));
    expect(await screen.findByText('Please fill in all required fields')).toBeInTheDocument();
    expect(generations()).toEqual([]);
  });

  // rows: S-186
  test('Start moves the focus to the next step', async () => {
    new FakeWallet(api, 20);
    const person = show();
    await start(person);
    expect(screen.getByRole('heading', { name: /Generate$/ })).toHaveFocus();
  });

  test('both buttons show their price', async () => {
    new FakeWallet(api, 40);
    const person = show();
    await start(person);
    expect(download()).toHaveAccessibleName('Download All Lesson Plans 20 credits');
    expect(mail()).toHaveAccessibleName('Send to Email 20 credits');
    await person.click(download());
    await screen.findByText('Lesson Plans Generated!');
    expect(mail()).toHaveAccessibleName('Send to Email (no further charge)');
  });

  // rows: S-192 S-195 S-196 S-198
  test('Download deducts, calls and saves', async () => {
    const wallet = new FakeWallet(api, 40);
    const person = show();
    await start(person);
    await person.click(download());
    expect(await screen.findByText('Lesson Plans Generated!')).toBeInTheDocument();
    expect(saved).toEqual(['plan.rtf']);
    expect(wallet.coins).toBe(20);
    const [call] = generations();
    expect(call?.body).toEqual({
      board: 'CBSE',
      class: 'Class 10',
      subject: 'Science',
      periods: 5,
      chapter: 'Electricity',
      bookName: 'Science',
      publisher: 'NCERT',
      referencePlanUrl: '',
    });
    expect(call?.headers.get('Idempotency-Key')).toMatch(/^[0-9a-f]{64}$/);
    expect(await screen.findByText('LESSON PLAN: Electricity')).toBeInTheDocument();
    await person.click(screen.getByRole('button', { name: 'Download again' }));
    expect(saved).toEqual(['plan.rtf', 'plan.rtf']);
    expect(wallet.coins).toBe(20);
  });

  // rows: S-198
  test('a document without a name is saved under the default name', async () => {
    new FakeWallet(api, 40);
    api.on(generate, () => json({ docContent: btoa('{\\rtf1 plan}') }));
    const person = show();
    await start(person);
    await person.click(download());
    await screen.findByText('Lesson Plans Generated!');
    expect(saved).toEqual(['lesson-plan-1.rtf']);
  });

  // rows: D08
  test('a second press has the same key until the form changes', async () => {
    new FakeWallet(api, 60);
    const person = show();
    await start(person);
    for (const presses of [1, 2]) {
      await person.click(download());
      await waitFor(() => {
        expect(saved).toHaveLength(presses);
      });
    }
    await person.type(screen.getByRole('combobox', { name: 'Chapter' }), ' and Heat');
    await person.click(download());
    await waitFor(() => {
      expect(saved).toHaveLength(3);
    });
    const [first, second, third] = generations().map((call) => call.headers.get('Idempotency-Key'));
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  // rows: S-426
  test('a second tap on Download asks and charges once', async () => {
    const wallet = new FakeWallet(api, 60);
    const person = show();
    await start(person);
    await person.dblClick(download());
    expect(await screen.findByText('Lesson Plans Generated!')).toBeInTheDocument();
    expect(generations()).toHaveLength(1);
    expect(wallet.coins).toBe(40);
  });

  // rows: S-190 S-191
  test('too few credits open the dialog and cause no call', async () => {
    new FakeWallet(api, 0);
    const person = show();
    await start(person);
    await person.click(download());
    const dialog = await screen.findByRole('dialog', { name: 'Not enough credits' });
    expect(dialog).toHaveTextContent('ActivityCreate Lesson PlanRequired credits20Your credits0');
    expect(generations()).toHaveLength(0);
    await person.click(within(dialog).getByRole('button', { name: 'Not now' }));
    await waitFor(() => {
      expect(download()).toHaveFocus();
    });
  });

  // rows: S-192 S-200 S-422
  test('a failure gives the credits back and says why', async () => {
    const wallet = new FakeWallet(api, 20);
    api.on(generate, () => json({ error: 'The generator is resting.', code: 'generator_failed' }, 502));
    const person = show();
    await start(person);
    await person.click(download());
    expect(await screen.findByText('Failed to generate lesson plans. Please try again.')).toBeInTheDocument();
    expect(screen.getByRole('alert')).toHaveTextContent('The generator is resting. 20 credits given back.');
    expect(wallet.writes).toEqual([0, 20]);
    expect(saved).toEqual([]);
  });

  // rows: S-192 S-422
  test.each([
    ['another_tab_charged_meanwhile', 20],
    ['an_administrator_added_credits_meanwhile', 140],
  ])('where %s nothing is claimed of the credits', async (_, coins) => {
    const wallet = new FakeWallet(api, 60);
    api.on(generate, ({ headers }) => {
      if (headers.has('Idempotency-Key')) wallet.coins = coins;
      return json({ error: 'No.', code: 'generator_failed' }, 502);
    });
    const person = show();
    await start(person);
    await person.click(download());
    expect(await screen.findByText(/^No\. Credits that are not back yet stand behind/)).toBeInTheDocument();
  });

  // rows: S-197 S-419
  test('an answer without a document is a failure', async () => {
    const wallet = new FakeWallet(api, 20);
    api.on(generate, () => json({ lessonPlan: 'text' }));
    const person = show();
    await start(person);
    await person.click(download());
    expect(await screen.findByText(/No document received from the server/)).toBeInTheDocument();
    expect(wallet.coins).toBe(20);
    api.on(generate, () => new Response('', { status: 200 }));
    await person.click(download());
    expect(await screen.findByText(/No response received from the server/)).toBeInTheDocument();
  });

  // rows: S-193
  test('a refused deduction stops the generation', async () => {
    new FakeWallet(api, 20);
    api.on('PATCH /rest/v1/profiles', () => json({ code: '42501', message: 'no' }, 403));
    const person = show();
    await start(person);
    await person.click(download());
    expect(await screen.findByText('Failed to deduct coins')).toBeInTheDocument();
    expect(generations()).toHaveLength(0);
  });

  // rows: S-193
  test('a deduction without an answer stops the generation', async () => {
    new FakeWallet(api, 20);
    api.on('PATCH /rest/v1/profiles', noNetwork);
    const person = show();
    await start(person);
    await person.click(download());
    expect(await screen.findByText('Failed to process payment. Please try again.')).toBeInTheDocument();
    expect(generations()).toHaveLength(0);
  });

  // rows: S-196
  test('nothing is charged when the request key cannot be computed', async () => {
    const wallet = new FakeWallet(api, 40);
    const person = show();
    await start(person);
    vi.stubGlobal('crypto', {});
    await person.click(download());
    expect(await screen.findByRole('alert')).toHaveTextContent('An unexpected error occurred.');
    expect([wallet.coins, generations().length]).toEqual([40, 0]);
  });
});
