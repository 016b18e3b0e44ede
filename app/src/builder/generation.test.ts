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
  // rows: S-192
  test('a generation is charged before its function is called', async () => {
    const { steps, charge, ask } = stepsWith([done]);
    expect(await runGeneration(steps)).toEqual(done);
    expect(charge.mock.invocationCallOrder[0]).toBeLessThan(ask.mock.invocationCallOrder[0] ?? 0);
  });

  test('a generation neither calls nor charges once its user signed out', async () => {
    const { steps, charge, ask, wait, settleFailure } = stepsWith([lost, done]);
    expect(await runGeneration({ ...steps, abandoned: () => true })).toEqual({ kind: 'abandoned' });
    expect(charge).not.toHaveBeenCalled();
    // The user signs out during the pause before the next call.
    const left = { ...steps, abandoned: () => wait.mock.calls.length > 0 };
    expect(await runGeneration(left)).toEqual({ kind: 'abandoned' });
    expect([ask, settleFailure].map((step) => step.mock.calls.length)).toEqual([1, 0]);
  });

  test('a late charge is not reported to the next signed-in user', async () => {
    const { steps, charge, ask } = stepsWith([done]);
    charge.mockResolvedValue({ kind: 'insufficient', coins: 0 });
    const left = { ...steps, abandoned: () => charge.mock.calls.length > 0 };
    expect(await runGeneration(left)).toEqual({ kind: 'abandoned' });
    expect(ask).not.toHaveBeenCalled();
  });

  test.each([429, 503])('a charged request that gets %i stays charged', async (status) => {
    const refused: Answer<string> = { kind: 'refused', status, code: 'busy', message: 'Later.' };
    const { steps, charge } = stepsWith([refused]);
    expect(await runGeneration({ ...steps, resumed: true })).toEqual({
      kind: 'failed',
      answer: refused,
      refund: 'reserved',
    });
    expect(charge).not.toHaveBeenCalled();
  });

  // rows: S-190 S-193
  test('a function is not called without a charge', async () => {
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

  // rows: S-192 S-219
  test('a failure settles the charge and says whether the function got the call', async () => {
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

  // rows: S-427
  test('a lost answer is fetched again without a second charge', async () => {
    const { steps, charge, ask, settleFailure } = stepsWith([lost, lost, done]);
    expect(await runGeneration(steps)).toEqual(done);
    expect(charge).toHaveBeenCalledOnce();
    expect(ask).toHaveBeenCalledTimes(3);
    expect(settleFailure).not.toHaveBeenCalled();
    expect(steps.onReconnecting).toHaveBeenCalled();
  });

  test('a lost connection is given up, and reserved credits stay reserved', async () => {
    const { steps, ask, wait } = stepsWith([], 'reserved');
    expect(await runGeneration(steps)).toEqual({ kind: 'failed', answer: lost, refund: 'reserved' });
    expect(ask).toHaveBeenCalledTimes(reconnectPauses.length + 1);
    expect(wait.mock.calls.flat()).toEqual(reconnectPauses);
  });

  // rows: S-427
  test('a network that answers no call is given up after some minutes', async () => {
    const { steps, ask } = stepsWith([], 'reserved');
    const limitOfACall = 130_000;
    await runGeneration({ ...steps, now: () => ask.mock.calls.length * limitOfACall });
    expect(ask).toHaveBeenCalledTimes(2);
  });

  // rows: S-427
  test('the pauses together are longer than a function may run', () => {
    // `wall_clock` of a function.
    expect(reconnectPauses.reduce((sum, pause) => sum + pause)).toBeGreaterThan(150_000);
  });

  // rows: D08
  test('a resumed request is called without a charge', async () => {
    const { steps, charge } = stepsWith([done]);
    expect(await runGeneration({ ...steps, resumed: true })).toEqual(done);
    expect(charge).not.toHaveBeenCalled();
  });

  // rows: D08
  test('a resumed request without a result is charged', async () => {
    const { steps, charge } = stepsWith([unpaid, done]);
    expect(await runGeneration({ ...steps, resumed: true })).toEqual(done);
    expect(charge).toHaveBeenCalledOnce();
  });

  test('a resumed request that fails touches no credits', async () => {
    const { steps, charge, settleFailure } = stepsWith([failed]);
    expect(await runGeneration({ ...steps, resumed: true })).toEqual({
      kind: 'failed',
      answer: failed,
      refund: 'none',
    });
    expect(charge).not.toHaveBeenCalled();
    expect(settleFailure).not.toHaveBeenCalled();
  });

  // rows: D09
  test('a cancelled generation stops calling', async () => {
    const { steps, ask } = stepsWith([lost, done]);
    expect(await runGeneration({ ...steps, cancelled: () => ask.mock.calls.length > 0 })).toEqual({
      kind: 'cancelled',
    });
    expect(ask).toHaveBeenCalledOnce();
  });
});
