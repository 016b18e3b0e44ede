import type { Charge, ChargeOutcome, Refund } from './charge';
import { isMissingFunction, type Answer, type FailedAnswer, type GeneratedDocument } from './tool';

/** The outcome of one press of a generate button. */
export type GenerationOutcome<Content> =
  | { kind: 'done'; document: GeneratedDocument<Content> }
  | { kind: 'insufficient'; coins: number }
  | { kind: 'charge-failed'; reason: 'refused' | 'unsettled' }
  | { kind: 'failed'; answer: FailedAnswer; refund: Refund }
  | { kind: 'cancelled' }
  /** The user signed out meanwhile. The result on the server belongs to that user alone. */
  | { kind: 'abandoned' };

export interface GenerationSteps<Content> {
  /** True if an earlier press with the same key was charged and its result was never received. */
  resumed: boolean;
  charge: () => Promise<ChargeOutcome>;
  ask: () => Promise<Answer<Content>>;
  /** True once the server confirmed that the user cancelled. */
  cancelled: () => boolean;
  /**
   * True once the user is not signed in any more. Then
   * nothing more is called, charged or delivered.
   */
  abandoned: () => boolean;
  wait: (milliseconds: number) => Promise<void>;
  /** Milliseconds. */
  now: () => number;
  onReconnecting: () => void;
}

/**
 * Pauses before each retry after a lost answer. Together
 * they are longer than a generation may take.
 */
export const reconnectPauses = [2_000, 4_000, 8_000, 15_000, 30_000, 30_000, 30_000, 30_000, 30_000];

/**
 * On a network that drops every packet each call takes its
 * full timeout. After this time no further call is made.
 */
const callingForMs = 240_000;

/**
 * Charges first, then generates. After a failure the charge is settled by the policy of its tool
 * (SPECIFICATION.md S-192, S-219). A lost answer is fetched with the same key, which the server
 * never charges twice. A resumed request is called without a charge. It is charged only if the
 * server says that there is no paid result.
 */
export async function runGeneration<Content>(
  steps: GenerationSteps<Content>,
): Promise<GenerationOutcome<Content>> {
  if (steps.resumed) {
    const answer = await callUntilAnswered(steps);
    if (steps.abandoned()) return { kind: 'abandoned' };
    if (steps.cancelled()) return { kind: 'cancelled' };
    if (answer.kind === 'done') return answer;
    if (!isUnpaid(answer))
      return { kind: 'failed', answer, refund: isTransient(answer) ? 'reserved' : 'none' };
  }
  if (steps.abandoned()) return { kind: 'abandoned' };
  const outcome = await steps.charge();
  if (steps.abandoned()) return { kind: 'abandoned' };
  if (outcome.kind === 'insufficient') return outcome;
  if (outcome.kind === 'failed') return { kind: 'charge-failed', reason: outcome.reason };
  return generateCharged(steps, outcome.charge);
}

async function generateCharged<Content>(
  steps: GenerationSteps<Content>,
  charge: Charge,
): Promise<GenerationOutcome<Content>> {
  const answer = await callUntilAnswered(steps);
  if (steps.abandoned()) return { kind: 'abandoned' };
  if (answer.kind === 'done' && !steps.cancelled()) return answer;
  const refund = await charge.settleFailure(answer.kind !== 'unreachable' && !isMissingFunction(answer));
  if (steps.cancelled() || answer.kind === 'done') return { kind: 'cancelled' };
  return { kind: 'failed', answer, refund };
}

async function callUntilAnswered<Content>(steps: GenerationSteps<Content>): Promise<Answer<Content>> {
  if (steps.abandoned()) return { kind: 'unreachable' };
  const until = steps.now() + callingForMs;
  let answer = await steps.ask();
  for (const pause of reconnectPauses) {
    if (answer.kind !== 'unreachable' || steps.cancelled() || steps.now() >= until) return answer;
    steps.onReconnecting();
    await steps.wait(pause);
    if (steps.cancelled() || steps.abandoned()) return answer;
    answer = await steps.ask();
  }
  return answer;
}

/**
 * Whether the same call may soon have another answer. The earlier charge is still reserved for it.
 */
function isTransient(answer: FailedAnswer): boolean {
  return answer.kind === 'refused' && (answer.status === 429 || answer.status === 503);
}

function isUnpaid(answer: FailedAnswer): boolean {
  return answer.kind === 'refused' && answer.code === 'insufficient_credits';
}
