import { beforeEach, describe, expect, test } from 'vitest';
import { FakeApi, FakeWallet, json, noNetwork } from '@/test/fake-api';
import { openDeduction, reverseDeduction } from './api/deduction';
import { BalanceError, loadBalance } from './api/load-balance';

const me = '11111111-1111-4111-8111-111111111111';
let api: FakeApi;

beforeEach(() => {
  api = new FakeApi();
});

describe('loading the balance', () => {
  // rows: S-160
  test('a missing profile is created and welcomed', async () => {
    const wallet = new FakeWallet(api, null);
    expect(await loadBalance(me, 20)).toEqual({ coins: 20, welcomed: true });
    expect(wallet.coins).toBe(20);
  });

  test('an existing profile is read and not welcomed', async () => {
    new FakeWallet(api, 60);
    expect(await loadBalance(me, 20)).toEqual({ coins: 60, welcomed: false });
    expect(api.callsTo('POST /rest/v1/profiles')).toHaveLength(0);
  });

  // rows: D07
  test.each([7, 20])(
    'a profile that is created again keeps its %i credits without a welcome',
    async (coins) => {
      new FakeWallet(api, null, coins);
      expect(await loadBalance(me, 20)).toEqual({ coins, welcomed: false });
    },
  );

  // rows: S-401
  test('the tab that loses the race reads again', async () => {
    const wallet = new FakeWallet(api, null);
    api.on('POST /rest/v1/profiles', () => {
      wallet.coins = 20;
      return json({ code: '23505', message: 'duplicate key' }, 409);
    });
    expect(await loadBalance(me, 20)).toEqual({ coins: 20, welcomed: false });
  });

  // rows: S-397 S-398
  test('failures name the step that failed', async () => {
    api.on('GET /rest/v1/profiles', () => json({ message: 'down' }, 400));
    await expect(loadBalance(me, 20)).rejects.toEqual(new BalanceError('load'));
    new FakeWallet(api, null);
    api.on('POST /rest/v1/profiles', () => json({ message: 'no' }, 403));
    await expect(loadBalance(me, 20)).rejects.toMatchObject({ step: 'create' });
  });

  // rows: S-425
  test('a server that is down is known at the first answer', async () => {
    api.on('GET /rest/v1/profiles', () => json({ message: 'away' }, 503));
    await expect(loadBalance(me, 20)).rejects.toEqual(new BalanceError('load'));
    expect(api.callsTo('GET /rest/v1/profiles')).toHaveLength(1);
  });
});

describe('a deduction', () => {
  // rows: S-425
  test('a press outlasts a short outage of the server', async () => {
    new FakeWallet(api, 50);
    let reads = 0;
    api.on('GET /rest/v1/profiles', () => {
      reads += 1;
      return reads === 1 ? json({ message: 'away' }, 503) : json([{ coins: 50 }]);
    });
    expect(await openDeduction(me)).toMatchObject({ kind: 'opened' });
    expect(reads).toBe(2);
  });

  // rows: D05
  test('a deduction is written only if the balance is still the one that was read', async () => {
    const wallet = new FakeWallet(api, 50);
    expect(await openDeduction(me)).toEqual({ kind: 'opened', deduction: { before: 50, after: 30 } });
    expect(wallet.coins).toBe(30);
    const [call] = api.callsTo('PATCH /rest/v1/profiles');
    expect(call?.query.get('user_id')).toBe(`eq.${me}`);
    expect(call?.query.get('coins')).toBe('eq.50');
    expect(call?.body).toEqual({ coins: 30 });
  });

  // rows: D05
  test('a deduction reads again when another tab was faster', async () => {
    const wallet = new FakeWallet(api, 50);
    let first = true;
    api.on('GET /rest/v1/profiles', () => {
      const shown = wallet.coins;
      if (first) wallet.coins = 40;
      first = false;
      return json([{ coins: shown }]);
    });
    expect(await openDeduction(me)).toEqual({ kind: 'opened', deduction: { before: 40, after: 20 } });
    expect(wallet.coins).toBe(20);
  });

  // rows: S-402
  test('a deduction never goes below zero', async () => {
    const wallet = new FakeWallet(api, 19);
    expect(await openDeduction(me)).toEqual({ kind: 'insufficient', coins: 19 });
    expect(wallet.writes).toEqual([]);
  });

  // rows: S-193
  test('a refusal and a lost call are told apart', async () => {
    new FakeWallet(api, 50);
    api.on('PATCH /rest/v1/profiles', () => json({ code: '42501', message: 'stale' }, 403));
    expect(await openDeduction(me)).toEqual({ kind: 'failed', reason: 'refused' });
    api.on('PATCH /rest/v1/profiles', noNetwork);
    expect(await openDeduction(me)).toEqual({ kind: 'failed', reason: 'unsettled' });
  });

  // rows: S-193
  test('a balance that keeps changing is given up', async () => {
    new FakeWallet(api, 50);
    api.on('PATCH /rest/v1/profiles', () => json([]));
    expect(await openDeduction(me)).toEqual({ kind: 'failed', reason: 'unsettled' });
  });
});

describe('reversing a deduction', () => {
  // rows: D02
  test('a reversal writes the balance from before', async () => {
    const wallet = new FakeWallet(api, 30);
    expect(await reverseDeduction(me, { before: 50, after: 30 })).toBe(50);
    expect(wallet.writes).toEqual([50]);
  });

  // rows: D02
  test('a reversal does not add to what the server gave back', async () => {
    const wallet = new FakeWallet(api, 50);
    expect(await reverseDeduction(me, { before: 50, after: 30 })).toBe(50);
    expect(wallet.writes).toEqual([]);
  });

  // rows: D02
  test('a delivered document stays paid', async () => {
    new FakeWallet(api, 30);
    api.on('PATCH /rest/v1/profiles', () => json({ code: '23514', message: 'spent' }, 400));
    expect(await reverseDeduction(me, { before: 50, after: 30 })).toBe(30);
  });
});
