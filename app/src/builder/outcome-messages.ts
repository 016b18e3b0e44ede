import { generationCost } from '@/lib/generation-cost';
import { t, tn } from '@/lib/i18n';
import { toast } from '@/lib/toast';
import type { MailOutcome } from './api/send-document';
import type { Refund } from './charge';
import type { GenerationOutcome } from './generation';
import { isSampleRefusal, sampleRefusalText } from './sample-refusals';
import { isMissingFunction, type FailedAnswer, type ToastKeys, type ToolTexts } from './tool';

/** The outcome of a press that generated nothing. */
type UnsuccessfulOutcome = Exclude<GenerationOutcome<never>, { kind: 'done' | 'abandoned' }>;

/** The message beside a field. */
export interface RefusedField {
  field: string;
  message: string;
}

interface OutcomeHandlers {
  onInsufficient: (coins: number) => void;
  onSignedOut: () => void;
}

/** Shows the outcome of a press that generated nothing, and opens what helps. */
export function showOutcome(
  outcome: UnsuccessfulOutcome,
  texts: ToolTexts,
  { onInsufficient, onSignedOut }: OutcomeHandlers,
): void {
  if (outcome.kind === 'insufficient') {
    onInsufficient(outcome.coins);
  } else if (outcome.kind === 'charge-failed') {
    toast.error({
      title: t(outcome.reason === 'refused' ? 'generation.deductFailed' : 'generation.paymentFailed'),
    });
  } else if (outcome.kind === 'cancelled') {
    toast.plain({ title: t('generation.cancelled'), description: refundSentence('returned') });
  } else if (isSignedOut(outcome.answer)) {
    onSignedOut();
    showSignedOut(outcome.refund, texts);
  } else {
    toast.error({ title: t(texts.failed.title), description: failureDescription(outcome, texts) });
  }
}

/** Returns the field that the server refused, with its message, or null after another outcome. */
export function refusedField(outcome: UnsuccessfulOutcome, { improper }: ToolTexts): RefusedField | null {
  if (!improper || outcome.kind !== 'failed' || outcome.answer.kind !== 'refused') return null;
  const { code, field } = outcome.answer;
  if (code !== 'unsafe_request' || !field) return null;
  const credits = outcome.refund === 'none' ? t('generation.nothingCharged') : refundSentence(outcome.refund);
  return { field, message: joinSentences(t(improper), credits) };
}

function isSignedOut(answer: FailedAnswer): boolean {
  return answer.kind === 'refused' && answer.status === 401;
}

/** The user is sent to /auth, and always learns what became of the credits. */
function showSignedOut(refund: Refund, { signedOut, failed }: ToolTexts): void {
  if (!signedOut && refund === 'none') return;
  const { title, description }: ToastKeys = signedOut ?? { title: failed.title };
  toast.error({
    title: t(title),
    description: joinSentences(description && t(description), refundSentence(refund)),
  });
}

function failureDescription(
  { answer, refund }: Extract<UnsuccessfulOutcome, { kind: 'failed' }>,
  texts: ToolTexts,
): string {
  return joinSentences(
    isMissingFunction(answer) ? t('generation.absent') : reasonOf(answer, texts),
    refundSentence(refund),
  );
}

function reasonOf(answer: FailedAnswer, { failed, noDocument }: ToolTexts): string | undefined {
  if (answer.kind === 'unreachable') return t('generation.unreachable');
  if (answer.kind === 'empty') return t(answer.missing === 'document' ? noDocument : 'generation.noResponse');
  if (isSampleRefusal(answer.code)) return sampleRefusalText(answer.code);
  return answer.message ?? (failed.detail && t(failed.detail));
}

function refundSentence(refund: Refund): string {
  if (refund === 'none') return '';
  return t(refund === 'reserved' ? 'generation.reserved' : 'generation.returned', {
    cost: generationCost,
  });
}

/** Returns why a mail was not sent, for its sender. It is empty if nobody knows. */
export function mailFailureReason(outcome: Exclude<MailOutcome, { kind: 'sent' }>): string {
  if (outcome.kind === 'unreachable') return t('generation.unreachable');
  const { code, message, retryAfter } = outcome;
  const isTooEarly = code === 'rate_limited' && retryAfter;
  return joinSentences(message, isTooEarly ? tn('builder.mailAfter', Math.ceil(retryAfter / 60)) : '');
}

function joinSentences(...sentences: (string | undefined)[]): string {
  return sentences.filter(Boolean).join(' ');
}
