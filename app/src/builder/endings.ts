import { generationCost } from '@/lib/generation-cost';
import { t, tn } from '@/lib/i18n';
import { toast } from '@/lib/toast';
import type { MailOutcome } from './api/send-document';
import type { Refund } from './charge';
import type { GenerationOutcome } from './generation';
import { isAbsent, type FailedAnswer, type ToastKeys, type ToolTexts } from './tool';

/** How a press ended that made nothing. */
type Ending = Exclude<GenerationOutcome<never>, { kind: 'done' | 'abandoned' }>;

/** What is said beside a field. */
export interface RefusedField {
  field: string;
  message: string;
}

interface WaysOn {
  onInsufficient: (coins: number) => void;
  onSignedOut: () => void;
}

/** Tells a teacher how a press ended that made nothing, and leads on where there is a way. */
export function tellEnding(outcome: Ending, texts: ToolTexts, { onInsufficient, onSignedOut }: WaysOn): void {
  if (outcome.kind === 'insufficient') {
    onInsufficient(outcome.coins);
  } else if (outcome.kind === 'charge-failed') {
    toast.error({
      title: t(outcome.reason === 'refused' ? 'generation.deductFailed' : 'generation.paymentFailed'),
    });
  } else if (outcome.kind === 'cancelled') {
    toast.plain({ title: t('generation.cancelled'), description: aboutCredits('returned') });
  } else if (isSignedOut(outcome.answer)) {
    onSignedOut();
    tellSignedOut(outcome.refund, texts);
  } else {
    toast.error({ title: t(texts.failed.title), description: explanation(outcome, texts) });
  }
}

/** A field that the server takes offence at, and what is said beside it; null where the ending is another. */
export function refusedField(outcome: Ending, { improper }: ToolTexts): RefusedField | null {
  if (!improper || outcome.kind !== 'failed' || outcome.answer.kind !== 'refused') return null;
  const { code, field } = outcome.answer;
  if (code !== 'unsafe_request' || !field) return null;
  const credits = outcome.refund === 'none' ? t('generation.nothingCharged') : aboutCredits(outcome.refund);
  return { field, message: inOne(t(improper), credits) };
}

function isSignedOut(answer: FailedAnswer): boolean {
  return answer.kind === 'refused' && answer.status === 401;
}

/** The way leads to /auth: what became of the credits is said in any case. */
function tellSignedOut(refund: Refund, { signedOut, failed }: ToolTexts): void {
  if (!signedOut && refund === 'none') return;
  const { title, description }: ToastKeys = signedOut ?? { title: failed.title };
  toast.error({ title: t(title), description: inOne(description && t(description), aboutCredits(refund)) });
}

function explanation({ answer, refund }: Extract<Ending, { kind: 'failed' }>, texts: ToolTexts): string {
  return inOne(isAbsent(answer) ? t('generation.absent') : reasonOf(answer, texts), aboutCredits(refund));
}

function reasonOf(answer: FailedAnswer, { failed, noDocument }: ToolTexts): string | undefined {
  if (answer.kind === 'unreachable') return t('generation.unreachable');
  if (answer.kind === 'empty') return t(answer.missing === 'document' ? noDocument : 'generation.noResponse');
  return answer.message ?? (failed.detail && t(failed.detail));
}

function aboutCredits(refund: Refund): string {
  if (refund === 'none') return '';
  return t(refund === 'kept' ? 'generation.kept' : 'generation.returned', { cost: generationCost });
}

/** Why a mail did not go, as its sender reads it; empty where nobody knows. */
export function whyNotMailed(outcome: Exclude<MailOutcome, { kind: 'sent' }>): string {
  if (outcome.kind === 'unreachable') return t('generation.unreachable');
  const { code, message, retryAfter } = outcome;
  const isTooEarly = code === 'rate_limited' && retryAfter;
  return inOne(message, isTooEarly ? tn('builder.mailAfter', Math.ceil(retryAfter / 60)) : '');
}

function inOne(...sentences: (string | undefined)[]): string {
  return sentences.filter(Boolean).join(' ');
}
