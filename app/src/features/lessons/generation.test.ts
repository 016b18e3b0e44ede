import { describe, expect, test, vi } from 'vitest';
import type { GenerationAnswer, LessonPlan } from './api/generate-lesson-plan';
import type { ChargeOutcome } from './charge';
import { reconnectPauses, runGeneration, type GenerationSteps } from './generation';

const plan: LessonPlan = { docContent: 'e30=', text: '', filename: 'p.rtf', document: null, warnings: [] };
const done: GenerationAnswer = { kind: 'plan', plan };
const lost: GenerationAnswer = { kind: 'unreachable' };
const failed: GenerationAnswer = { kind: 'refused', status: 502, code: 'generator_failed', message: 'No.' };
const unpaid: GenerationAnswer = {
  kind: 'refused',
  status: 402,
  code: 'insufficient_credits',
  message: 'Few.',
};

function stepsWith(answers: GenerationAnswer[], returned = true) {
  const takeBack = vi.fn(() => Promise.resolve(returned));
  const charge = vi.fn((): Promise<ChargeOutcome> =>
    Promise.resolve({ kind: 'charged', charge: { takeBack } }),
  );
  const ask = vi.fn(() => Promise.resolve(answers.shift() ?? lost));
  const wait = vi.fn(() => Promise.resolve());
  const steps: GenerationSteps = {
    resumed: false,
    charge,
    ask,
    wait,
    cancelled: () => false,
    onReconnecting: vi.fn(),
  };
  return { steps, charge, ask, wait, takeBack };
}

describe('a generation', () => {
  test('s192_is_charged_before_it_is_asked_for', async () => {
    const { steps, charge, ask } = stepsWith([done]);
    expect(await runGeneration(steps)).toEqual({ kind: 'done', plan });
    expect(charge.mock.invocationCallOrder[0]).toBeLessThan(ask.mock.invocationCallOrder[0] ?? 0);
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

  test('s192_a_failure_takes_the_charge_back', async () => {
    const { steps, takeBack } = stepsWith([failed]);
    expect(await runGeneration(steps)).toEqual({ kind: 'failed', answer: failed, refund: 'returned' });
    expect(takeBack).toHaveBeenCalledOnce();
  });

  test('s427_a_lost_answer_is_fetched_again_without_a_second_charge', async () => {
    const { steps, charge, ask, takeBack } = stepsWith([lost, lost, done]);
    expect(await runGeneration(steps)).toEqual({ kind: 'done', plan });
    expect(charge).toHaveBeenCalledOnce();
    expect(ask).toHaveBeenCalledTimes(3);
    expect(takeBack).not.toHaveBeenCalled();
    expect(steps.onReconnecting).toHaveBeenCalled();
  });

  test('a_connection_that_stays_lost_is_given_up_and_the_charge_kept_when_the_server_keeps_it', async () => {
    const { steps, ask, wait } = stepsWith([], false);
    expect(await runGeneration(steps)).toEqual({ kind: 'failed', answer: lost, refund: 'kept' });
    expect(ask).toHaveBeenCalledTimes(reconnectPauses.length + 1);
    expect(wait.mock.calls.flat()).toEqual(reconnectPauses);
  });

  test('d08_a_resumed_request_is_asked_for_without_a_charge', async () => {
    const { steps, charge } = stepsWith([done]);
    expect(await runGeneration({ ...steps, resumed: true })).toEqual({ kind: 'done', plan });
    expect(charge).not.toHaveBeenCalled();
  });

  test('d08_a_resumed_request_that_nothing_stands_behind_is_charged', async () => {
    const { steps, charge } = stepsWith([unpaid, done]);
    expect(await runGeneration({ ...steps, resumed: true })).toEqual({ kind: 'done', plan });
    expect(charge).toHaveBeenCalledOnce();
  });

  test('a_resumed_request_that_fails_touches_no_credits', async () => {
    const { steps, charge, takeBack } = stepsWith([failed]);
    expect(await runGeneration({ ...steps, resumed: true })).toEqual({
      kind: 'failed',
      answer: failed,
      refund: 'none',
    });
    expect(charge).not.toHaveBeenCalled();
    expect(takeBack).not.toHaveBeenCalled();
  });

  test('d09_a_cancelled_generation_stops_asking', async () => {
    const { steps, ask } = stepsWith([lost, done]);
    expect(await runGeneration({ ...steps, cancelled: () => ask.mock.calls.length > 0 })).toEqual({
      kind: 'cancelled',
    });
    expect(ask).toHaveBeenCalledOnce();
  });
});
