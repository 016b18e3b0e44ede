import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { draftStorage } from '@/builder/draft-storage';
import { lessonPlanTool } from '@/features/lessons/lesson-plan-tool';
import { type FakeApi, FakeWallet, deferredResponse, json, noNetwork } from '@/test/fake-api';
import {
  answer,
  download,
  filled,
  generate,
  generationsOf,
  mail,
  plansAreMade,
  send,
  show,
  start,
} from '@/test/lesson-plan-screen';
import { teacher } from '@/test/show-route';
import { storeSession } from '@/test/store-session';

let api: FakeApi;
let saved: string[];

const generations = () => generationsOf(api);

beforeEach(() => {
  ({ api, saved } = plansAreMade());
});

describe('a lesson plan on its way', { timeout: 20_000 }, () => {
  test('s194_d09_a_running_generation_is_busy_and_can_be_cancelled', async () => {
    const wallet = new FakeWallet(api, 20);
    const held = deferredResponse();
    api.on(generate, ({ headers }) => (headers.has('Idempotency-Key') ? held.answer : json(answer)));
    api.on('POST /rest/v1/rpc/cancel_generation', () => {
      wallet.coins = 20;
      held.give(json({ error: 'cancelled', code: 'cancelled' }, 409));
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

  test('s194_d09_a_cancelling_that_finds_nothing_running_does_not_claim_to_know_why', async () => {
    new FakeWallet(api, 20);
    api.on(generate, ({ headers }) =>
      headers.has('Idempotency-Key') ? new Promise(() => undefined) : json(answer),
    );
    api.on('POST /rest/v1/rpc/cancel_generation', () => json(false));
    const person = show();
    await start(person);
    await person.click(download());
    await person.click(await screen.findByRole('button', { name: 'Cancel' }));
    expect(await screen.findByText(/^It may be nearly ready, or only just begun/)).toBeInTheDocument();
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
      draftStorage(lessonPlanTool, teacher.id).savePending({ form, sample: '', startedAt });
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

  test.each([
    ['saved', download],
    ['mailed', mail],
  ])('d08_a_document_of_one_user_is_not_%s_for_the_next_of_the_device', async (_, button) => {
    const wallet = new FakeWallet(api, 40);
    const held = deferredResponse();
    api.on(generate, ({ headers }) => (headers.has('Idempotency-Key') ? held.answer : json({ meta: null })));
    const person = show();
    await start(person);
    await person.click(button());
    await waitFor(() => {
      expect(generations()).toHaveLength(1);
    });
    storeSession({ id: '22222222-2222-4222-8222-222222222222', email: 'bina@school.example' });
    held.give(json(answer));
    await waitFor(() => {
      expect(button()).toBeEnabled();
    });
    expect(saved).toEqual([]);
    expect(api.callsTo(send)).toEqual([]);
    expect(wallet.writes).toEqual([20]);
  });

  test('d08_a_charge_that_is_answered_after_the_sign_out_keeps_nothing_that_was_typed', async () => {
    const wallet = new FakeWallet(api, 40);
    const person = show();
    await start(person);
    api.on('PATCH /rest/v1/profiles', () => {
      localStorage.clear();
      wallet.coins = 20;
      return json([{ coins: 20 }]);
    });
    await person.click(download());
    await waitFor(() => {
      expect(download()).toBeEnabled();
    });
    expect(wallet.coins).toBe(20);
    expect(localStorage).toHaveLength(0);
    expect(generations()).toHaveLength(0);
    expect(screen.getByRole('alert')).toBeEmptyDOMElement();
  });

  test('s202_s422_a_session_that_ended_after_the_charge_says_what_became_of_the_credits', async () => {
    const wallet = new FakeWallet(api, 40);
    const signOut = vi.fn(() => Promise.resolve());
    const refused = () => json({ error: 'Please sign in to continue.', code: 'unauthenticated' }, 401);
    const person = show(signOut);
    await start(person);
    api.on(generate, ({ headers }) => {
      if (!headers.has('Idempotency-Key')) return json({ meta: null });
      api.on('PATCH /rest/v1/profiles', refused);
      // The screen that would ask again is gone by then.
      api.on('GET /rest/v1/profiles', () =>
        signOut.mock.calls.length > 0 ? json([{ coins: 20 }]) : refused(),
      );
      return refused();
    });
    await person.click(download());
    await waitFor(() => {
      expect(screen.getByRole('alert')).toHaveTextContent(
        /^Failed to generate lesson plans\. Please try again\.Credits that are not back yet stand behind/,
      );
    });
    expect(signOut).toHaveBeenCalledOnce();
    expect(wallet.coins).toBe(20);
    expect(draftStorage(lessonPlanTool, teacher.id).pending(Date.now())).not.toBeNull();
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
});
