import { QueryClientProvider } from '@tanstack/react-query';
import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { MemoryRouter } from 'react-router';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { keptFor } from '@/builder/kept';
import { Toaster } from '@/components/ui/toaster';
import { lessonPlanTool } from '@/features/lessons/lesson-plan-tool';
import { queryClient } from '@/lib/query-client';
import { SessionContext } from '@/lib/session';
import { FakeApi, FakeWallet, json, noNetwork } from '@/test/fake-api';
import { storeSession } from '@/test/store-session';
import LessonPlanRoute from './lesson-plan';

const user = { id: '11111111-1111-4111-8111-111111111111', email: 'asha@school.example' };
const generate = 'POST /functions/v1/generate-lesson-plan';
const send = 'POST /functions/v1/send-generated-content';
const answer = {
  docContent: btoa('{\\rtf1 plan}'),
  lessonPlan: 'LESSON PLAN: Electricity',
  filename: 'plan.rtf',
};

const filled = {
  board: 'CBSE',
  grade: 'Class 10',
  subject: 'Science',
  chapterName: 'Electricity',
  book: 'Science',
  publisher: 'NCERT',
};

let api: FakeApi;
let saved: string[];

/** The calls that ask for a plan, not those that only ask how it would be made. */
const generations = () => api.callsTo(generate).filter((call) => call.headers.has('Idempotency-Key'));

beforeEach(() => {
  api = new FakeApi().on(generate, () => json(answer)).on(send, () => json({ success: true }));
  queryClient.clear();
  saved = [];
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push(this.download);
  });
  vi.stubGlobal(
    'URL',
    Object.assign(URL, { createObjectURL: () => 'blob:plan', revokeObjectURL: () => undefined }),
  );
});

function show(signOut = () => Promise.resolve()) {
  storeSession(user);
  render(
    <QueryClientProvider client={queryClient}>
      <SessionContext value={{ session: { status: 'signed-in', user }, signOut, sessionEnded: signOut }}>
        <MemoryRouter>
          <LessonPlanRoute />
        </MemoryRouter>
        <Toaster />
      </SessionContext>
    </QueryClientProvider>,
  );
  return userEvent.setup();
}

async function start(person: ReturnType<typeof show>) {
  const fill = (label: string, value: string) =>
    fireEvent.change(screen.getByLabelText(label), { target: { value } });
  fill('Board', 'CBSE');
  fill('Class', 'Class 10');
  fill('Subject', 'Science');
  fill('Chapter', 'Electricity');
  fill('Book', 'Science');
  expect(screen.getByRole('button', { name: 'Start Plan Builder' })).toBeDisabled();
  fill('Publisher', 'NCERT');
  await person.click(screen.getByRole('button', { name: 'Start Plan Builder' }));
  await screen.findByRole('button', { name: /^Download All Lesson Plans/ });
}

const download = () => screen.getByRole('button', { name: /^Download All Lesson Plans/ });
const mail = () => screen.getByRole('button', { name: /^Send to Email/ });

describe('the lesson-plan builder', { timeout: 20_000 }, () => {
  test('s192_s195_s196_s198_download_deducts_calls_and_saves', async () => {
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

  test('d08_a_second_press_has_the_same_key_until_the_form_changes', async () => {
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

  test('s178_s179_s181_s183_s205_the_form_has_its_three_parts_and_options', () => {
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

  test('s182_a_board_is_searched_chosen_with_the_keys_or_typed', async () => {
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

  test('s178_chapters_of_the_class_and_subject_are_offered_and_others_may_be_typed', async () => {
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

  test('s186_s188_the_generator_card_comes_with_its_two_buttons', async () => {
    new FakeWallet(api, 40);
    const person = show();
    expect(screen.queryByRole('button', { name: /^Download All Lesson Plans/ })).toBeNull();
    await start(person);
    expect(download()).toBeEnabled();
    expect(mail()).toBeEnabled();
  });

  test('s187_enter_in_an_incomplete_form_says_what_is_missing', async () => {
    new FakeWallet(api, 60);
    const person = show();
    await person.type(screen.getByLabelText('Chapter'), 'Electricity');
    fireEvent.submit(screen.getByLabelText('Chapter'));
    expect(await screen.findByText('Please fill in all required fields')).toBeInTheDocument();
    expect(generations()).toEqual([]);
  });

  test('s426_a_second_tap_on_download_asks_and_charges_once', async () => {
    const wallet = new FakeWallet(api, 60);
    const person = show();
    await start(person);
    await person.dblClick(download());
    expect(await screen.findByText('Lesson Plans Generated!')).toBeInTheDocument();
    expect(generations()).toHaveLength(1);
    expect(wallet.coins).toBe(40);
  });

  test('s190_s191_too_few_credits_open_the_dialog_and_call_nothing', async () => {
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

  test('s192_s200_s422_a_failure_gives_the_credits_back_and_says_why', async () => {
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

  test('s197_s419_an_answer_without_a_document_is_a_failure', async () => {
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

  test('s193_a_refused_deduction_stops_the_generation', async () => {
    new FakeWallet(api, 20);
    api.on('PATCH /rest/v1/profiles', () => json({ code: '42501', message: 'no' }, 403));
    const person = show();
    await start(person);
    await person.click(download());
    expect(await screen.findByText('Failed to deduct coins')).toBeInTheDocument();
    expect(generations()).toHaveLength(0);
  });

  test('s199_s390_mails_a_new_plan_and_s201_a_failed_mail_is_not_charged_again', async () => {
    const wallet = new FakeWallet(api, 60);
    api.on(send, () => json({ error: 'no such function' }, 404));
    const person = show();
    await start(person);
    await person.click(mail());
    expect(await screen.findByText('Email Failed')).toBeInTheDocument();
    expect(screen.getByRole('alert')).toHaveTextContent(
      'generated but failed to send email; please try downloading instead',
    );
    await person.click(screen.getByRole('button', { name: 'Download again' }));
    expect(saved).toEqual(['plan.rtf']);

    api.on(send, () => json({ success: true }));
    await person.click(mail());
    expect(await screen.findByText('Lesson Plans Sent!')).toBeInTheDocument();
    expect(wallet.writes).toEqual([40]);
    expect(generations()).toHaveLength(1);
    expect(api.callsTo(send)[1]?.body).toEqual({
      email: 'asha@school.example',
      content: 'LESSON PLAN: Electricity',
      filename: 'plan.rtf',
      type: 'Lesson Plan',
      documentContent: answer.docContent,
    });
  });

  test('s390_s391_the_address_that_a_plan_was_mailed_to_stands_beside_it', async () => {
    new FakeWallet(api, 20);
    let end: (response: Response) => void = () => undefined;
    api.on(
      send,
      () =>
        new Promise<Response>((resolve) => {
          end = resolve;
        }),
    );
    const person = show();
    await start(person);
    await person.click(mail());
    expect(await screen.findByRole('button', { name: /^Sending\.\.\./ })).toBeDisabled();
    expect(download()).toBeDisabled();
    end(json({ success: true }));
    expect(await screen.findByText('Sent to asha@school.example')).toBeInTheDocument();
    await waitFor(() => {
      expect(mail()).toBeEnabled();
    });
  });

  test('s201_s422_a_refused_mail_says_why_and_when_the_next_can_go', async () => {
    const wallet = new FakeWallet(api, 60);
    const refusal = { error: 'Too many requests. Please wait a little.', code: 'rate_limited' };
    const headers = { 'Content-Type': 'application/json', 'Retry-After': '125' };
    api.on(send, () => new Response(JSON.stringify(refusal), { status: 429, headers }));
    const person = show();
    await start(person);
    await person.click(mail());
    const why = 'Too many requests. Please wait a little. The next mail can go in 3 minutes.';
    expect(await screen.findByText(`Not sent by email. ${why}`)).toBeInTheDocument();
    expect(screen.getByRole('alert')).toHaveTextContent(
      `generated but failed to send email; please try downloading instead. ${why}`,
    );
    await person.click(download());
    expect(saved).toEqual(['plan.rtf']);
    expect(wallet.writes).toEqual([40]);
  });

  test('s201_s423_a_mail_without_a_network_says_so_and_can_be_sent_again', async () => {
    const wallet = new FakeWallet(api, 60);
    api.on(send, () => noNetwork());
    const person = show();
    await start(person);
    await person.click(mail());
    expect(await screen.findByText('Not sent by email. The connection was lost.')).toBeInTheDocument();
    api.on(send, () => json({ success: true }));
    await person.click(mail());
    expect(await screen.findByText('Sent to asha@school.example')).toBeInTheDocument();
    expect(screen.queryByText(/^Not sent by email/)).toBeNull();
    expect(wallet.writes).toEqual([40]);
  });

  test('s202_a_mail_after_the_session_is_over_leads_to_sign_in', async () => {
    new FakeWallet(api, 60);
    api.on(send, () => json({ error: 'Please sign in to continue.', code: 'unauthenticated' }, 401));
    const signOut = vi.fn(() => Promise.resolve());
    const person = show(signOut);
    await start(person);
    await person.click(mail());
    expect(await screen.findByText('Email Failed')).toBeInTheDocument();
    expect(signOut).toHaveBeenCalledOnce();
  });

  test('s194_d09_a_running_generation_is_busy_and_can_be_cancelled', async () => {
    const wallet = new FakeWallet(api, 20);
    let end: (response: Response) => void = () => undefined;
    const ended = new Promise<Response>((resolve) => {
      end = resolve;
    });
    api.on(generate, ({ headers }) => (headers.has('Idempotency-Key') ? ended : json(answer)));
    api.on('POST /rest/v1/rpc/cancel_generation', () => {
      wallet.coins = 20;
      end(json({ error: 'cancelled', code: 'cancelled' }, 409));
      return json(true);
    });
    const person = show();
    await start(person);
    await person.click(download());
    await waitFor(() => {
      expect(generations()).toHaveLength(1);
    });
    expect(download()).toBeDisabled();
    expect(mail()).toBeDisabled();
    await person.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(await screen.findByText('Cancelled')).toBeInTheDocument();
    const [cancel] = api.callsTo('POST /rest/v1/rpc/cancel_generation');
    expect(cancel?.body).toEqual({ request_key: generations()[0]?.headers.get('Idempotency-Key') });
    expect(wallet.coins).toBe(20);
    expect(saved).toEqual([]);
  });

  test('s427_a_lost_answer_is_fetched_with_the_same_key', async () => {
    const wallet = new FakeWallet(api, 20);
    api.on(generate, () => (generations().length < 2 ? noNetwork() : json(answer)));
    const person = show();
    await start(person);
    await person.click(download());
    expect(await screen.findByText('Connection lost. Fetching your document again')).toBeInTheDocument();
    await waitFor(
      () => {
        expect(saved).toEqual(['plan.rtf']);
      },
      { timeout: 5_000 },
    );
    expect(new Set(generations().map((call) => call.headers.get('Idempotency-Key'))).size).toBe(1);
    expect(wallet.writes).toEqual([0]);
  });

  describe('after a reload with a document on its way', () => {
    const form = { ...lessonPlanTool.empty, ...filled };
    const free = /The next press fetches it without a second charge/;

    function reload(minutesAgo: number) {
      new FakeWallet(api, 40);
      const startedAt = Date.now() - minutesAgo * 60_000;
      keptFor(lessonPlanTool, user.id).keepPending({ form, sample: '', startedAt });
      return show();
    }

    test('s427_what_is_asked_for_again_is_free_and_anything_else_has_its_price', async () => {
      reload(1);
      expect(await screen.findByText(free)).toBeInTheDocument();
      expect(download()).not.toHaveTextContent('20');
      const chapter = (value: string) =>
        fireEvent.change(screen.getByLabelText('Chapter', { selector: 'input' }), { target: { value } });
      chapter('Light');
      await waitFor(() => {
        expect(screen.queryByText(free)).not.toBeInTheDocument();
      });
      expect(download()).toHaveTextContent('20');
      chapter('Electricity');
      expect(await screen.findByText(free)).toBeInTheDocument();
    });

    test('s427_it_is_free_for_as_long_as_it_is_kept', async () => {
      vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
      try {
        reload(9);
        expect(screen.getByText(free)).toBeInTheDocument();
        await act(() => vi.advanceTimersByTimeAsync(60_000));
        expect(screen.queryByText(free)).not.toBeInTheDocument();
        expect(download()).toHaveTextContent('20');
      } finally {
        vi.useRealTimers();
      }
    });

    test('s427_it_has_its_price_once_it_was_refused', async () => {
      api.on(generate, () => json({ error: 'No', code: 'invalid' }, 400));
      const person = reload(1);
      expect(await screen.findByText(free)).toBeInTheDocument();
      await person.click(download());
      await waitFor(() => {
        expect(download()).toHaveTextContent('20');
      });
      expect(screen.queryByText(free)).not.toBeInTheDocument();
    });
  });

  test('d33_an_empty_form_loads_no_checks_and_its_first_letter_does', async () => {
    new FakeWallet(api, 40);
    const checks = vi.spyOn(lessonPlanTool, 'checks');
    const person = show();
    const chapter = screen.getByLabelText('Chapter');
    expect(checks).not.toHaveBeenCalled();
    await person.type(chapter, 'E');
    expect(checks).toHaveBeenCalled();
  });

  test('d36_without_the_checks_nothing_is_made_until_they_come_by_themselves', async () => {
    const wallet = new FakeWallet(api, 40);
    vi.spyOn(lessonPlanTool, 'checks').mockRejectedValueOnce(new TypeError('Failed to fetch'));
    const form = { ...lessonPlanTool.empty, ...filled };
    keptFor(lessonPlanTool, user.id).keepPending({ form, sample: '', startedAt: Date.now() });
    show();
    expect(await screen.findByText(/^Part of this page has not arrived/)).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Load the page again' })).toBeEnabled();
    expect(download()).toBeDisabled();
    await waitFor(() => {
      expect(download()).toBeEnabled();
    });
    expect(screen.queryByText(/^Part of this page has not arrived/)).not.toBeInTheDocument();
    expect(wallet.writes).toEqual([]);
  });

  test('d36_a_press_while_the_checks_are_on_their_way_is_refused_when_they_fail', async () => {
    const wallet = new FakeWallet(api, 40);
    const lost = new TypeError('Failed to fetch');
    vi.spyOn(lessonPlanTool, 'checks')
      .mockReturnValueOnce(new Promise(() => undefined))
      .mockRejectedValue(lost);
    const form = { ...lessonPlanTool.empty, ...filled };
    keptFor(lessonPlanTool, user.id).keepPending({ form, sample: '', startedAt: Date.now() });
    const person = show();
    await person.click(download());
    expect(await screen.findByText(/^Part of this page has not arrived/)).toBeInTheDocument();
    expect(wallet.writes).toEqual([]);
    expect(generations()).toHaveLength(0);
  });

  test('d04_checks_that_come_late_bring_the_forecast_with_them', async () => {
    new FakeWallet(api, 20);
    const label = 'Draft frame. This chapter is not in the built-in bank.';
    api.on(generate, () => json({ meta: { generator: 'template', language: 'en', coverage: 0.1, label } }));
    const lost = new TypeError('Failed to fetch');
    vi.spyOn(lessonPlanTool, 'checks').mockRejectedValueOnce(lost);
    const form = { ...lessonPlanTool.empty, ...filled };
    keptFor(lessonPlanTool, user.id).keepPending({ form, sample: '', startedAt: Date.now() });
    show();
    expect(await screen.findByText(label, undefined, { timeout: 5_000 })).toBeInTheDocument();
    expect(generations()).toHaveLength(0);
  });

  test('d04_a_frame_is_announced_before_the_charge', async () => {
    const wallet = new FakeWallet(api, 20);
    const label = 'Draft frame. This chapter is not in the built-in bank.';
    api.on(generate, () =>
      json({ meta: { generator: 'template', language: 'en', coverage: 0.1, label, warnings: [label] } }),
    );
    const person = show();
    await start(person);
    expect(await screen.findByText(label)).toBeInTheDocument();
    expect(api.callsTo(generate)[0]?.body).toMatchObject({ chapter: 'Electricity', dryRun: true });
    expect(generations()).toHaveLength(0);
    expect(wallet.writes).toEqual([]);
  });

  test('d04_what_a_stand_in_for_the_model_would_change_is_announced_before_the_charge', async () => {
    new FakeWallet(api, 20);
    const fallback = 'પછી દસ્તાવેજ અંગ્રેજીમાં હશે.';
    const told = { generator: 'model', language: 'gu', coverage: null, label: 'By a model.', fallback };
    api.on(generate, () => json({ meta: told }));
    const person = show();
    await start(person);
    expect(await screen.findByText(fallback)).toHaveAttribute('lang', 'gu');
    expect(screen.queryByText('By a model.')).not.toBeInTheDocument();
    expect(generations()).toHaveLength(0);
  });

  test.each([
    ['saved', download],
    ['mailed', mail],
  ])('d08_a_document_of_one_user_is_not_%s_for_the_next_of_the_device', async (_, button) => {
    const wallet = new FakeWallet(api, 40);
    let finish: (response: Response) => void = () => undefined;
    api.on(generate, ({ headers }) => {
      if (!headers.has('Idempotency-Key')) return json({ meta: null });
      return new Promise<Response>((resolve) => {
        finish = resolve;
      });
    });
    const person = show();
    await start(person);
    await person.click(button());
    await waitFor(() => {
      expect(generations()).toHaveLength(1);
    });
    storeSession({ id: '22222222-2222-4222-8222-222222222222', email: 'bina@school.example' });
    finish(json(answer));
    await waitFor(() => {
      expect(button()).toBeEnabled();
    });
    expect(saved).toEqual([]);
    expect(api.callsTo(send)).toEqual([]);
    expect(wallet.writes).toEqual([20]);
  });

  test('s196_without_a_way_to_name_the_request_nothing_is_charged', async () => {
    const wallet = new FakeWallet(api, 40);
    const person = show();
    await start(person);
    vi.stubGlobal('crypto', {});
    await person.click(download());
    expect(await screen.findByRole('alert')).toHaveTextContent('An unexpected error occurred.');
    expect([wallet.coins, generations().length]).toEqual([40, 0]);
  });

  test('d09_a_cancelling_that_nobody_answered_says_so', async () => {
    new FakeWallet(api, 40);
    api.on(generate, ({ headers }) =>
      headers.has('Idempotency-Key') ? new Promise<Response>(() => undefined) : json({ meta: null }),
    );
    api.on('POST /rest/v1/rpc/cancel_generation', () => json({ message: 'down' }, 503));
    const person = show();
    await start(person);
    await person.click(download());
    await person.click(await screen.findByRole('button', { name: 'Cancel' }));
    expect(await screen.findByText('It could not be cancelled now')).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Cancel' })).toBeEnabled();
  });

  describe('a press before the forecast', () => {
    const label = 'Draft frame. This chapter is not in the built-in bank.';
    const frame = { generator: 'template', language: 'en', coverage: 0.1, label };
    let wallet: FakeWallet;
    let foretell: (response: Response) => void;

    /** Only generations are answered at once. */
    beforeEach(() => {
      wallet = new FakeWallet(api, 40);
      api.on(generate, ({ headers }) => {
        if (headers.has('Idempotency-Key')) return json(answer);
        return new Promise<Response>((resolve) => {
          foretell = resolve;
        });
      });
    });

    async function pressAtOnce() {
      const person = show();
      await start(person);
      await person.click(download());
      expect(await screen.findByText('Looking up what the document will be...')).toBeInTheDocument();
      expect(download()).toBeDisabled();
      return person;
    }

    test('pays_nothing_for_a_frame_until_it_is_pressed_again', async () => {
      const person = await pressAtOnce();
      foretell(json({ meta: frame }));
      expect(await screen.findByText('Nothing was charged yet')).toBeInTheDocument();
      expect(await screen.findByText(label)).toBeInTheDocument();
      expect(download()).toHaveFocus();
      expect([wallet.coins, generations().length]).toEqual([40, 0]);
      await person.click(download());
      expect(await screen.findByText('Lesson Plans Generated!')).toBeInTheDocument();
      expect(wallet.coins).toBe(20);
    });

    test('goes_on_by_itself_where_the_chapter_is_known', async () => {
      await pressAtOnce();
      foretell(json({ meta: { ...frame, coverage: 0.9 } }));
      expect(await screen.findByText('Lesson Plans Generated!')).toBeInTheDocument();
      expect(wallet.coins).toBe(20);
    });

    test('is_held_back_once_where_the_forecast_does_not_come', async () => {
      const person = await pressAtOnce();
      expect(await screen.findByText('Nothing was charged yet')).toBeInTheDocument();
      expect(screen.getAllByText(/^What the document will be could not be found out in time/)).toHaveLength(
        2,
      );
      expect([wallet.coins, generations().length]).toEqual([40, 0]);
      await person.click(download());
      expect(await screen.findByText('Lesson Plans Generated!')).toBeInTheDocument();
    });
  });

  test('s422_what_the_document_will_lack_is_said_before_the_charge', async () => {
    new FakeWallet(api, 20);
    const warnings = ['sample not available to the generator'];
    const meta = { generator: 'model', language: 'en', coverage: null, label: 'By a model.', warnings };
    api.on(generate, () => json({ meta }));
    const person = show();
    await start(person);
    expect(await screen.findByText('sample not available to the generator')).toBeInTheDocument();
    expect(generations()).toHaveLength(0);
  });

  test('both_buttons_say_what_they_cost', async () => {
    new FakeWallet(api, 40);
    const person = show();
    await start(person);
    expect(download()).toHaveAccessibleName('Download All Lesson Plans 20 credits');
    expect(mail()).toHaveAccessibleName('Send to Email 20 credits');
    await person.click(download());
    await screen.findByText('Lesson Plans Generated!');
    expect(mail()).toHaveAccessibleName('Send to Email (no further charge)');
  });

  test('s186_start_moves_the_focus_to_what_comes_next', async () => {
    new FakeWallet(api, 20);
    const person = show();
    await start(person);
    expect(screen.getByRole('heading', { name: /Generate$/ })).toHaveFocus();
  });

  test('s423_a_running_generation_says_that_the_device_is_offline', async () => {
    new FakeWallet(api, 20);
    api.on(generate, ({ headers }) =>
      headers.has('Idempotency-Key') ? new Promise(() => undefined) : json(answer),
    );
    const person = show();
    await start(person);
    await person.click(download());
    expect(await screen.findByText('Writing your document')).toBeInTheDocument();
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    act(() => {
      window.dispatchEvent(new Event('offline'));
    });
    expect(screen.getByText(/^You are offline. Your document is fetched/)).toBeInTheDocument();
  });

  test('s189_a_sample_must_be_pdf_or_docx', async () => {
    new FakeWallet(api, 20);
    show();
    const person = userEvent.setup({ applyAccept: false });
    const field = screen.getByLabelText(/^Sample lesson/);
    await person.upload(field, new File(['x'], 'plan.txt', { type: 'text/plain' }));
    expect(await screen.findByText('Please upload a PDF or DOCX file')).toBeInTheDocument();
    await person.upload(field, new File(['x'], 'plan.pdf', { type: 'application/pdf' }));
    const toast = (await screen.findByText('File uploaded successfully')).closest('[data-toaster]');
    const notRead = 'The generator does not read samples yet: the document will not follow it.';
    expect(toast).toHaveTextContent(notRead);
    expect(screen.getAllByText(notRead), 'it stays under the field').toHaveLength(2);
    expect(screen.getByText('plan.pdf')).toBeInTheDocument();
  });
});
