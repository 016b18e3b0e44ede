import type { Charge, ChargeOutcome, Refund } from './charge';
import { isAbsent, type Answer, type FailedAnswer, type GeneratedDocument } from './tool';

/** How one press of a generate button ended. */
export type GenerationOutcome<Content> =
  | { kind: 'done'; document: GeneratedDocument<Content> }
  | { kind: 'insufficient'; coins: number }
  | { kind: 'charge-failed'; reason: 'refused' | 'unsettled' }
  | { kind: 'failed'; answer: FailedAnswer; refund: Refund }
  | { kind: 'cancelled' }
  /** Its user signed out meanwhile: what stands at the server is theirs alone. */
  | { kind: 'abandoned' };

export interface GenerationSteps<Content> {
  /** True when an earlier press with the same key was charged and its result was never received. */
  resumed: boolean;
  charge: () => Promise<ChargeOutcome>;
  ask: () => Promise<Answer<Content>>;
  /** True once the user's cancelling was confirmed by the server. */
  cancelled: () => boolean;
  /** True once nobody or somebody else is signed in: nothing more is asked, charged or handed out. */
  abandoned: () => boolean;
  wait: (milliseconds: number) => Promise<void>;
  /** Milliseconds. */
  now: () => number;
  onReconnecting: () => void;
}

/** Pauses between asking again for a result whose answer was lost; together longer than a generation may take. */
export const reconnectPauses = [2_000, 4_000, 8_000, 15_000, 30_000, 30_000, 30_000, 30_000, 30_000];

/** A network that swallows what is sent makes each asking as long as a call may take: after this it is the last one. */
const callingForMs = 240_000;

/**
 * Charges first, then generates; on failure the charge is settled as its tool does it (SPECIFICATION.md
 * S-192, S-219). An answer that was lost on the way is fetched with the same key, which the server never
 * charges twice. A resumed request is asked for without a charge, and charged only when the server says that
 * nothing stands behind it.
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
  const refund = await charge.settleFailure(answer.kind !== 'unreachable' && !isAbsent(answer));
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

/** Whether the same question may be answered otherwise in a moment: what was charged before still stands behind it. */
function isTransient(answer: FailedAnswer): boolean {
  return answer.kind === 'refused' && (answer.status === 429 || answer.status === 503);
}

function isUnpaid(answer: FailedAnswer): boolean {
  return answer.kind === 'refused' && answer.code === 'insufficient_credits';
}
