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
  // rows: S-194 D09
  test('a running generation shows progress and can be cancelled', async () => {
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

  // rows: S-194 D09
  test('a cancellation that finds nothing running does not claim to know why', async () => {
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

  // rows: D09
  test('a cancellation without an answer says so', async () => {
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

  // rows: S-427
  test('a lost answer is fetched with the same key', async () => {
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

  describe('a reload while a document is on its way', () => {
    const form = { ...lessonPlanTool.empty, ...filled };
    const free = /The next press fetches it without a second charge/;

    function reload(minutesAgo: number) {
      new FakeWallet(api, 40);
      const startedAt = Date.now() - minutesAgo * 60_000;
      draftStorage(lessonPlanTool, teacher.id).savePending({ form, sample: '', startedAt });
      return show();
    }

    // rows: S-427
    test('the same request is free after a reload, and any other has its price', async () => {
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

    // rows: S-427
    test('the request is free for as long as the server stores its result', async () => {
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

    // rows: S-427
    test('the request has its price once the server refused it', async () => {
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

  // rows: D08
  test.each([
    ['saved', download],
    ['mailed', mail],
  ])('a document of one user is not %s for the next user of the device', async (_, button) => {
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

  // rows: D08
  test('a charge that is answered after the sign-out stores no typed text', async () => {
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

  // rows: S-202 S-422
  test('a session that ends after the charge says what became of the credits', async () => {
    const wallet = new FakeWallet(api, 40);
    const signOut = vi.fn(() => Promise.resolve());
    const refused = () => json({ error: 'Please sign in to continue.', code: 'unauthenticated' }, 401);
    const person = show(signOut);
    await start(person);
    api.on(generate, ({ headers }) => {
      if (!headers.has('Idempotency-Key')) return json({ meta: null });
      api.on('PATCH /rest/v1/profiles', refused);
      // The screen that would retry is gone by then.
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
    expect(draftStorage(lessonPlanTool, teacher.id).loadPending(Date.now())).not.toBeNull();
  });

  // rows: S-423
  test('a running generation says that the device is offline', async () => {
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
