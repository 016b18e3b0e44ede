import { describe, expect, test, vi } from 'vitest';
import type { ChargeOutcome, Refund } from './charge';
import { reconnectPauses, runGeneration, type GenerationSteps } from './generation';
import type { Answer, GeneratedDocument } from './tool';

const document: GeneratedDocument<string> = {
  file: { content: 'e30=', encoding: 'base64', type: 'application/rtf' },
  text: '',
  filename: 'p.rtf',
  content: null,
  warnings: [],
};
const done: Answer<string> = { kind: 'done', document };
const lost: Answer<string> = { kind: 'unreachable' };
const failed: Answer<string> = { kind: 'refused', status: 502, code: 'generator_failed', message: 'No.' };
const unpaid: Answer<string> = {
  kind: 'refused',
  status: 402,
  code: 'insufficient_credits',
  message: 'Few.',
};

function stepsWith(answers: Answer<string>[], refund: Refund = 'returned') {
  const settleFailure = vi.fn(() => Promise.resolve(refund));
  const charge = vi.fn((): Promise<ChargeOutcome> =>
    Promise.resolve({ kind: 'charged', charge: { settleFailure } }),
  );
  const ask = vi.fn(() => Promise.resolve(answers.shift() ?? lost));
  const wait = vi.fn(() => Promise.resolve());
  const steps: GenerationSteps<string> = {
    resumed: false,
    charge,
    ask,
    wait,
    now: () => 0,
    cancelled: () => false,
    abandoned: () => false,
    onReconnecting: vi.fn(),
  };
  return { steps, charge, ask, wait, settleFailure };
}

describe('a generation', () => {
  test('s192_is_charged_before_it_is_asked_for', async () => {
    const { steps, charge, ask } = stepsWith([done]);
    expect(await runGeneration(steps)).toEqual(done);
    expect(charge.mock.invocationCallOrder[0]).toBeLessThan(ask.mock.invocationCallOrder[0] ?? 0);
  });

  test('is_neither_asked_for_nor_charged_once_its_user_signed_out', async () => {
    const { steps, charge, ask, wait, settleFailure } = stepsWith([lost, done]);
    expect(await runGeneration({ ...steps, abandoned: () => true })).toEqual({ kind: 'abandoned' });
    expect(charge).not.toHaveBeenCalled();
    // In the pause before it is asked for again.
    const left = { ...steps, abandoned: () => wait.mock.calls.length > 0 };
    expect(await runGeneration(left)).toEqual({ kind: 'abandoned' });
    expect([ask, settleFailure].map((step) => step.mock.calls.length)).toEqual([1, 0]);
  });

  test('is_not_told_to_whoever_is_signed_in_once_its_charge_is_answered', async () => {
    const { steps, charge, ask } = stepsWith([done]);
    charge.mockResolvedValue({ kind: 'insufficient', coins: 0 });
    const left = { ...steps, abandoned: () => charge.mock.calls.length > 0 };
    expect(await runGeneration(left)).toEqual({ kind: 'abandoned' });
    expect(ask).not.toHaveBeenCalled();
  });

  test.each([429, 503])('a_charged_request_that_meets_%i_stays_charged', async (status) => {
    const refused: Answer<string> = { kind: 'refused', status, code: 'busy', message: 'Later.' };
    const { steps, charge } = stepsWith([refused]);
    expect(await runGeneration({ ...steps, resumed: true })).toEqual({
      kind: 'failed',
      answer: refused,
      refund: 'reserved',
    });
    expect(charge).not.toHaveBeenCalled();
  });

  test('s190_s193_is_not_asked_for_without_a_charge', async () => {
    for (const outcome of [
      { kind: 'insufficient', coins: 0 },
      { kind: 'failed', reason: 'refused' },
    ] satisfies ChargeOutcome[]) {
      const { steps, charge, ask } = stepsWith([done]);
      charge.mockResolvedValue(outcome);
      expect((await runGeneration(steps)).kind).toBe(
        outcome.kind === 'failed' ? 'charge-failed' : 'insufficient',
      );
      expect(ask).not.toHaveBeenCalled();
    }
  });

  test('s192_s219_a_failure_settles_the_charge_and_says_whether_the_function_got_the_call', async () => {
    const absent: Answer<string> = { kind: 'refused', status: 404, code: 'NOT_FOUND', message: 'No.' };
    for (const [answer, answered] of [
      [failed, true],
      [absent, false],
    ] as const) {
      const { steps, settleFailure } = stepsWith([answer]);
      expect(await runGeneration(steps)).toEqual({ kind: 'failed', answer, refund: 'returned' });
      expect(settleFailure).toHaveBeenCalledExactlyOnceWith(answered);
    }
  });

  test('s427_a_lost_answer_is_fetched_again_without_a_second_charge', async () => {
    const { steps, charge, ask, settleFailure } = stepsWith([lost, lost, done]);
    expect(await runGeneration(steps)).toEqual(done);
    expect(charge).toHaveBeenCalledOnce();
    expect(ask).toHaveBeenCalledTimes(3);
    expect(settleFailure).not.toHaveBeenCalled();
    expect(steps.onReconnecting).toHaveBeenCalled();
  });

  test('a_connection_that_stays_lost_is_given_up_and_the_charge_kept_when_the_server_keeps_it', async () => {
    const { steps, ask, wait } = stepsWith([], 'reserved');
    expect(await runGeneration(steps)).toEqual({ kind: 'failed', answer: lost, refund: 'reserved' });
    expect(ask).toHaveBeenCalledTimes(reconnectPauses.length + 1);
    expect(wait.mock.calls.flat()).toEqual(reconnectPauses);
  });

  test('s427_a_network_that_swallows_every_call_is_given_up_after_some_minutes', async () => {
    const { steps, ask } = stepsWith([], 'reserved');
    const limitOfACall = 130_000;
    await runGeneration({ ...steps, now: () => ask.mock.calls.length * limitOfACall });
    expect(ask).toHaveBeenCalledTimes(2);
  });

  test('s427_the_pauses_are_together_longer_than_a_function_may_run', () => {
    // `wall_clock` of a function.
    expect(reconnectPauses.reduce((sum, pause) => sum + pause)).toBeGreaterThan(150_000);
  });

  test('d08_a_resumed_request_is_asked_for_without_a_charge', async () => {
    const { steps, charge } = stepsWith([done]);
    expect(await runGeneration({ ...steps, resumed: true })).toEqual(done);
    expect(charge).not.toHaveBeenCalled();
  });

  test('d08_a_resumed_request_that_nothing_stands_behind_is_charged', async () => {
    const { steps, charge } = stepsWith([unpaid, done]);
    expect(await runGeneration({ ...steps, resumed: true })).toEqual(done);
    expect(charge).toHaveBeenCalledOnce();
  });

  test('a_resumed_request_that_fails_touches_no_credits', async () => {
    const { steps, charge, settleFailure } = stepsWith([failed]);
    expect(await runGeneration({ ...steps, resumed: true })).toEqual({
      kind: 'failed',
      answer: failed,
      refund: 'none',
    });
    expect(charge).not.toHaveBeenCalled();
    expect(settleFailure).not.toHaveBeenCalled();
  });

  test('d09_a_cancelled_generation_stops_asking', async () => {
    const { steps, ask } = stepsWith([lost, done]);
    expect(await runGeneration({ ...steps, cancelled: () => ask.mock.calls.length > 0 })).toEqual({
      kind: 'cancelled',
    });
    expect(ask).toHaveBeenCalledOnce();
  });
});
