import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { builderKeys } from '@/builder/api/keys';
import { paymentKeys } from '@/features/payments/api/keys';
import { walletKeys } from '@/features/wallet/api/keys';
import { setLanguage } from '@/lib/i18n';
import { queryClient } from '@/lib/query-client';
import { currentToast } from '@/lib/toast';
import { FakeApi, json } from '@/test/fake-api';
import { fakeChannels, showTab, type FakeChannel } from '@/test/fake-socket';
import { storeSession } from '@/test/store-session';
import { followUpdates } from './live-updates';

const user = { id: '11111111-1111-4111-8111-111111111111', email: 'asha@school.example' };
const lists = {
  balance: walletKeys.balance(user.id),
  payments: paymentKeys.waiting(user.id),
  generations: builderKeys.history('generate-lesson-plan', user.id),
};
let channel: FakeChannel;
let stop: () => void;

beforeEach(async () => {
  const channels = fakeChannels();
  showTab(true);
  queryClient.clear();
  for (const key of Object.values(lists)) queryClient.setQueryData(key, []);
  stop = followUpdates(user.id);
  channel = await vi.waitUntil(() => channels[0]);
  channel.become('SUBSCRIBED');
});

afterEach(async () => {
  stop();
  window.history.replaceState(null, '', '/');
  await setLanguage('en');
});

/** The lists that are read again. */
function stale(): string[] {
  return Object.entries(lists)
    .filter(([, key]) => queryClient.getQueryState(key)?.isInvalidated)
    .map(([name]) => name);
}

describe('a message', () => {
  // rows: S-434
  test.each(Object.keys(lists))('of %s has that read again and nothing else', (event) => {
    channel.broadcast(event);
    expect(stale()).toEqual([event]);
  });

  // rows: S-434
  test('that is unknown changes nothing', () => {
    channel.broadcast('weather');
    expect(stale()).toEqual([]);
  });
});

describe('the toast', () => {
  const paid = { reason: 'payment', credits: 150, id: '1' };

  // rows: S-435
  test('says that a payment is approved', () => {
    channel.broadcast('balance', paid);
    expect(currentToast()).toMatchObject({
      tone: 'success',
      title: 'Payment approved',
      description: '150 credits have been added to your balance.',
    });
  });

  // rows: S-435
  test.each(['hi', 'mr', 'gu'] as const)('is there in %s', async (language) => {
    await setLanguage(language);
    channel.broadcast('balance', paid);
    expect(currentToast()?.title).not.toBe('Payment approved');
    expect(currentToast()?.description).toContain('150');
  });

  // rows: S-435
  test('is not shown in the panel that approves', () => {
    window.history.replaceState(null, '', '/admin');
    channel.broadcast('balance', paid);
    expect(currentToast()).toBeNull();
    expect(stale()).toEqual(['balance']);
  });

  // rows: S-435
  test.each([{ reason: 'deduction', credits: -20 }, {}, { reason: 'payment' }])(
    'is not for %o',
    (payload) => {
      channel.broadcast('balance', payload);
      expect(currentToast()).toBeNull();
    },
  );
});

describe('a closed topic', () => {
  // rows: S-436
  test('of a session that has ended leads out, with a word', async () => {
    storeSession(user);
    new FakeApi().on('GET /auth/v1/user', () =>
      json(
        { code: 'session_not_found', message: 'Session from session_id claim in JWT does not exist' },
        403,
      ),
    );
    channel.become('CLOSED');
    await vi.waitFor(() => {
      expect(currentToast()?.title).toBe('Your session has ended. Please sign in again.');
    });
    expect(localStorage.getItem('session')).toBeNull();
  });

  // rows: S-436 S-440
  test('of a session that goes on says nothing', async () => {
    storeSession(user);
    const api = new FakeApi().on('GET /auth/v1/user', () => json(user));
    channel.become('CLOSED');
    await vi.waitFor(() => {
      expect(api.callsTo('GET /auth/v1/user')).toHaveLength(1);
    });
    expect(currentToast()).toBeNull();
    expect(localStorage.getItem('session')).not.toBeNull();
  });

  // rows: S-434 S-436
  test('that is joined again has everything read once', () => {
    new FakeApi();
    channel.become('CHANNEL_ERROR');
    channel.become('SUBSCRIBED');
    expect(stale()).toEqual(Object.keys(lists));
  });
});
