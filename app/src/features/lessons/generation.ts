import type { GenerationAnswer, LessonPlan } from './api/generate-lesson-plan';
import type { Charge, ChargeOutcome } from './charge';

/** How one press of a generate button ended. */
export type GenerationOutcome =
  | { kind: 'done'; plan: LessonPlan }
  | { kind: 'insufficient'; coins: number }
  | { kind: 'charge-failed'; reason: 'refused' | 'unsettled' }
  | { kind: 'failed'; answer: FailedAnswer; refund: Refund }
  | { kind: 'cancelled' };

export type FailedAnswer = Exclude<GenerationAnswer, { kind: 'plan' }>;

/** `none`: nothing had been charged; `kept`: the credits still stand behind this request, which can be asked again. */
export type Refund = 'returned' | 'kept' | 'none';

export interface GenerationSteps {
  /** True when an earlier press with the same key was charged and its result was never received. */
  resumed: boolean;
  charge: () => Promise<ChargeOutcome>;
  ask: () => Promise<GenerationAnswer>;
  /** True once the user's cancelling was confirmed by the server. */
  cancelled: () => boolean;
  wait: (milliseconds: number) => Promise<void>;
  onReconnecting: () => void;
}

/** Pauses between asking again for a result whose answer was lost; together longer than a generation may take. */
export const reconnectPauses = [2_000, 4_000, 8_000, 15_000, 30_000, 30_000, 30_000];

/**
 * Deducts first, then generates; on failure takes the deduction back (screens.md S-192). An answer that was lost on
 * the way is fetched with the same key, which the server never charges twice. A resumed request is asked for without
 * a charge, and charged only when the server says that nothing stands behind it.
 */
export async function runGeneration(steps: GenerationSteps): Promise<GenerationOutcome> {
  if (steps.resumed) {
    const answer = await askUntilAnswered(steps);
    if (steps.cancelled()) return { kind: 'cancelled' };
    if (answer.kind === 'plan') return { kind: 'done', plan: answer.plan };
    if (!isUnpaid(answer)) return { kind: 'failed', answer, refund: 'none' };
  }
  const outcome = await steps.charge();
  if (outcome.kind === 'insufficient') return outcome;
  if (outcome.kind === 'failed') return { kind: 'charge-failed', reason: outcome.reason };
  return generateCharged(steps, outcome.charge);
}

async function generateCharged(steps: GenerationSteps, charge: Charge): Promise<GenerationOutcome> {
  const answer = await askUntilAnswered(steps);
  if (answer.kind === 'plan' && !steps.cancelled()) return { kind: 'done', plan: answer.plan };
  const returned = await charge.takeBack();
  if (steps.cancelled() || answer.kind === 'plan') return { kind: 'cancelled' };
  return { kind: 'failed', answer, refund: returned ? 'returned' : 'kept' };
}

async function askUntilAnswered(steps: GenerationSteps): Promise<GenerationAnswer> {
  let answer = await steps.ask();
  for (const pause of reconnectPauses) {
    if (answer.kind !== 'unreachable' || steps.cancelled()) return answer;
    steps.onReconnecting();
    await steps.wait(pause);
    answer = await steps.ask();
  }
  return answer;
}

function isUnpaid(answer: GenerationAnswer): boolean {
  return answer.kind === 'refused' && answer.code === 'insufficient_credits';
}
