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
  test('s160_a_missing_profile_is_made_and_welcomed', async () => {
    const wallet = new FakeWallet(api, null);
    expect(await loadBalance(me, 20)).toEqual({ coins: 20, welcomed: true });
    expect(wallet.coins).toBe(20);
  });

  test('an_existing_profile_is_read_and_not_welcomed', async () => {
    new FakeWallet(api, 60);
    expect(await loadBalance(me, 20)).toEqual({ coins: 60, welcomed: false });
    expect(api.callsTo('POST /rest/v1/profiles')).toHaveLength(0);
  });

  test.each([7, 20])('d07_a_profile_made_again_keeps_its_balance_of_%i_without_a_welcome', async (coins) => {
    new FakeWallet(api, null, coins);
    expect(await loadBalance(me, 20)).toEqual({ coins, welcomed: false });
  });

  test('s401_the_tab_that_loses_the_race_reads_again', async () => {
    const wallet = new FakeWallet(api, null);
    api.on('POST /rest/v1/profiles', () => {
      wallet.coins = 20;
      return json({ code: '23505', message: 'duplicate key' }, 409);
    });
    expect(await loadBalance(me, 20)).toEqual({ coins: 20, welcomed: false });
  });

  test('s397_s398_failures_say_which_step_failed', async () => {
    api.on('GET /rest/v1/profiles', () => json({ message: 'down' }, 400));
    await expect(loadBalance(me, 20)).rejects.toEqual(new BalanceError('load'));
    new FakeWallet(api, null);
    api.on('POST /rest/v1/profiles', () => json({ message: 'no' }, 403));
    await expect(loadBalance(me, 20)).rejects.toMatchObject({ step: 'create' });
  });

  test('s425_a_server_that_is_away_is_known_at_the_first_answer', async () => {
    api.on('GET /rest/v1/profiles', () => json({ message: 'away' }, 503));
    await expect(loadBalance(me, 20)).rejects.toEqual(new BalanceError('load'));
    expect(api.callsTo('GET /rest/v1/profiles')).toHaveLength(1);
  });
});

describe('a deduction', () => {
  test('s425_a_press_outlasts_a_server_that_is_away_for_a_moment', async () => {
    new FakeWallet(api, 50);
    let reads = 0;
    api.on('GET /rest/v1/profiles', () => {
      reads += 1;
      return reads === 1 ? json({ message: 'away' }, 503) : json([{ coins: 50 }]);
    });
    expect(await openDeduction(me)).toMatchObject({ kind: 'opened' });
    expect(reads).toBe(2);
  });

  test('d05_is_written_on_the_condition_of_the_balance_that_was_read', async () => {
    const wallet = new FakeWallet(api, 50);
    expect(await openDeduction(me)).toEqual({ kind: 'opened', deduction: { before: 50, after: 30 } });
    expect(wallet.coins).toBe(30);
    const [call] = api.callsTo('PATCH /rest/v1/profiles');
    expect(call?.query.get('user_id')).toBe(`eq.${me}`);
    expect(call?.query.get('coins')).toBe('eq.50');
    expect(call?.body).toEqual({ coins: 30 });
  });

  test('d05_another_tab_was_faster_so_it_reads_again', async () => {
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

  test('s402_never_goes_below_zero', async () => {
    const wallet = new FakeWallet(api, 19);
    expect(await openDeduction(me)).toEqual({ kind: 'insufficient', coins: 19 });
    expect(wallet.writes).toEqual([]);
  });

  test('s193_a_refusal_and_a_lost_call_are_told_apart', async () => {
    new FakeWallet(api, 50);
    api.on('PATCH /rest/v1/profiles', () => json({ code: '42501', message: 'stale' }, 403));
    expect(await openDeduction(me)).toEqual({ kind: 'failed', reason: 'refused' });
    api.on('PATCH /rest/v1/profiles', noNetwork);
    expect(await openDeduction(me)).toEqual({ kind: 'failed', reason: 'unsettled' });
  });

  test('s193_a_balance_that_keeps_changing_is_given_up', async () => {
    new FakeWallet(api, 50);
    api.on('PATCH /rest/v1/profiles', () => json([]));
    expect(await openDeduction(me)).toEqual({ kind: 'failed', reason: 'unsettled' });
  });
});

describe('taking a deduction back', () => {
  test('d02_writes_the_balance_from_before', async () => {
    const wallet = new FakeWallet(api, 30);
    expect(await reverseDeduction(me, { before: 50, after: 30 })).toBe(50);
    expect(wallet.writes).toEqual([50]);
  });

  test('d02_does_not_add_to_what_the_server_gave_back', async () => {
    const wallet = new FakeWallet(api, 50);
    expect(await reverseDeduction(me, { before: 50, after: 30 })).toBe(50);
    expect(wallet.writes).toEqual([]);
  });

  test('d02_a_delivered_document_stays_paid', async () => {
    new FakeWallet(api, 30);
    api.on('PATCH /rest/v1/profiles', () => json({ code: '23514', message: 'spent' }, 400));
    expect(await reverseDeduction(me, { before: 50, after: 30 })).toBe(30);
  });
});
