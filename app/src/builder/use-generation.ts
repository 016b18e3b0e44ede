import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useI18n } from '@/lib/i18n';
import type { SessionUser } from '@/lib/session';
import { storedUserId } from '@/lib/stored-session';
import { toast } from '@/lib/toast';
import { askFunction } from './api/ask-function';
import { cancelGeneration } from './api/cancel-generation';
import { builderKeys } from './api/keys';
import { sendDocument, type MailOutcome } from './api/send-document';
import { prepareFinishedDocument } from './components/finished-document';
import type { Wallet } from './charge';
import { isAbsent, runGeneration, type GenerationOutcome, type GenerationSteps } from './generation';
import { keptFor } from './kept';
import { isSameRequest, requestKey } from './request-key';
import { saveDocument } from './save-document';
import { useToastTexts } from './use-toast-texts';
import type { MadeDocument, Tool } from './tool';

export type Delivery = 'download' | 'email';

export type Activity =
  | { kind: 'idle' }
  | { kind: 'generating'; delivery: Delivery; startedAt: number; reconnecting: boolean; cancelling: boolean }
  | { kind: 'sending' };

/** Whether a finished document was mailed: after a failure its download costs nothing more (S-201). */
export type MailState = { kind: 'none' } | { kind: 'sent'; to: string } | { kind: 'failed'; reason: string };

/** A finished document together with the form that it was made from. */
export interface Finished<Form, Content> {
  document: MadeDocument<Content>;
  form: Form;
  sample: string;
  mail: MailState;
}

interface Run {
  key: Promise<string>;
  aborter: AbortController;
  cancelled: boolean;
}

interface Inputs<Form, Content> {
  tool: Tool<Form, Content>;
  user: SessionUser;
  wallet: Wallet;
  onInsufficient: (coins: number) => void;
  /** The session is over: the application leads to /auth (screens.md S-202, S-217, S-268). */
  onSignedOut: () => void;
}

/** Runs generations and deliveries of one tool, one at a time, and tells how each ended. */
export function useGeneration<Form extends object, Content>(inputs: Inputs<Form, Content>) {
  const { tool, user, wallet, onInsufficient, onSignedOut } = inputs;
  const { t, tn } = useI18n();
  const inWords = useToastTexts();
  const queries = useQueryClient();
  const [activity, setActivity] = useState<Activity>({ kind: 'idle' });
  const [finished, setFinished] = useState<Finished<Form, Content> | null>(null);
  const run = useRef<Run | null>(null);
  const kept = keptFor(tool, user.id);

  /** Whether calls still go out in the name of the user that this screen is for. */
  function isOwn(): boolean {
    return storedUserId() === user.id;
  }

  async function generate(form: Form, sample: string, delivery: Delivery) {
    if (run.current) return;
    const now = Date.now();
    const pending = kept.pending(now);
    const resumed = pending !== null && isSameRequest(tool, pending, { form, sample });
    const current: Run = {
      key: requestKey(tool.requestOf(form, sample)),
      aborter: new AbortController(),
      cancelled: false,
    };
    run.current = current;
    prepareFinishedDocument();
    setActivity({ kind: 'generating', delivery, startedAt: now, reconnecting: false, cancelling: false });
    try {
      // Before anything is charged: a browser may have no way to make it.
      await current.key;
      const outcome = await runGeneration(stepsOf(current, form, sample, resumed));
      await settle(outcome, { form, sample, delivery });
    } catch {
      toast.error({ title: t(tool.texts.failed.title), description: t('common.unexpected') });
    } finally {
      run.current = null;
      setActivity({ kind: 'idle' });
      void wallet.refresh();
      void queries.invalidateQueries({ queryKey: builderKeys.history(tool.functionName, user.id) });
    }
  }

  function stepsOf(current: Run, form: Form, sample: string, resumed: boolean): GenerationSteps<Content> {
    return {
      resumed,
      charge: async () => {
        const outcome = await wallet.charge();
        if (outcome.kind === 'charged') kept.keepPending({ form, sample, startedAt: Date.now() });
        return outcome;
      },
      ask: async () =>
        askFunction(tool, tool.requestOf(form, sample), await current.key, current.aborter.signal),
      cancelled: () => current.cancelled,
      abandoned: () => !isOwn(),
      wait: (milliseconds) =>
        new Promise<void>((resolve) => {
          window.setTimeout(resolve, milliseconds);
          current.aborter.signal.addEventListener('abort', () => {
            resolve();
          });
        }),
      onReconnecting: () => {
        setActivity((now) => (now.kind === 'generating' ? { ...now, reconnecting: true } : now));
      },
    };
  }

  async function settle(
    outcome: GenerationOutcome<Content>,
    made: { form: Form; sample: string; delivery: Delivery },
  ) {
    // The request is kept: its user may come back for the document.
    if (outcome.kind === 'abandoned') return;
    if (outcome.kind === 'done') {
      kept.forgetPending();
      kept.forgetDraft();
      setFinished({
        document: outcome.document,
        form: made.form,
        sample: made.sample,
        mail: { kind: 'none' },
      });
      await deliver(outcome.document, made.delivery);
      return;
    }
    if (!mayStillArrive(outcome)) kept.forgetPending();
    setActivity({ kind: 'idle' });
    tell(outcome);
  }

  function tell(outcome: Exclude<GenerationOutcome<Content>, { kind: 'done' | 'abandoned' }>) {
    if (outcome.kind === 'insufficient') {
      onInsufficient(outcome.coins);
    } else if (outcome.kind === 'charge-failed') {
      toast.error({
        title: t(outcome.reason === 'refused' ? 'generation.deductFailed' : 'generation.paymentFailed'),
      });
    } else if (outcome.kind === 'cancelled') {
      toast.plain({ title: t('generation.cancelled'), description: t('generation.returned') });
    } else if (outcome.answer.kind === 'refused' && outcome.answer.status === 401) {
      onSignedOut();
      if (tool.texts.signedOut) toast.error(inWords(tool.texts.signedOut));
    } else {
      toast.error({ title: t(tool.texts.failed.title), description: explain(outcome) });
    }
  }

  function explain({ answer, refund }: Extract<GenerationOutcome<Content>, { kind: 'failed' }>): string {
    const { failed, noDocument } = tool.texts;
    const credits = { returned: t('generation.returned'), kept: t('generation.kept'), none: '' };
    const general = failed.detail ? t(failed.detail) : undefined;
    const reasons = {
      refused: answer.kind === 'refused' ? (answer.message ?? general) : undefined,
      empty: t(
        answer.kind === 'empty' && answer.missing === 'document' ? noDocument : 'generation.noResponse',
      ),
      unreachable: t('generation.unreachable'),
    };
    const reason = isAbsent(answer) ? t('generation.absent') : reasons[answer.kind];
    return [reason, credits[refund]].filter(Boolean).join(' ');
  }

  async function deliver(document: MadeDocument<Content>, delivery: Delivery) {
    if (delivery === 'download') {
      saveDocument(document);
      toast.success(inWords(tool.texts.generated));
      return;
    }
    // By mail it would go to whoever is signed in.
    if (!isOwn()) return;
    setActivity({ kind: 'sending' });
    const outcome = await sendDocument(tool, user.email, document);
    if (outcome.kind === 'sent') {
      setFinished((now) => now && { ...now, mail: { kind: 'sent', to: user.email } });
      toast.success(inWords(tool.texts.sent));
      return;
    }
    if (outcome.kind === 'refused' && outcome.status === 401) onSignedOut();
    const reason = reasonOf(outcome);
    setFinished((now) => now && { ...now, mail: { kind: 'failed', reason } });
    const description = [t('builder.emailFailedDetail'), reason].filter(Boolean).join('. ');
    toast.error({ title: t('builder.emailFailed'), description });
  }

  /** Why a mail did not go, as its sender reads it; empty where nobody knows. */
  function reasonOf(outcome: Exclude<MailOutcome, { kind: 'sent' }>): string {
    if (outcome.kind === 'unreachable') return t('generation.unreachable');
    const { code, message, retryAfter } = outcome;
    const wait =
      code === 'rate_limited' && retryAfter ? tn('builder.mailAfter', Math.ceil(retryAfter / 60)) : '';
    return [message, wait].filter(Boolean).join(' ');
  }

  /** Mails a document that is already paid. */
  async function sendAgain(document: MadeDocument<Content>) {
    if (activity.kind !== 'idle') return;
    await deliver(document, 'email');
    setActivity({ kind: 'idle' });
  }

  async function cancel() {
    const current = run.current;
    if (!current || current.cancelled) return;
    setActivity((now) => (now.kind === 'generating' ? { ...now, cancelling: true } : now));
    const outcome = await cancelGeneration(await current.key);
    if (outcome === 'cancelled') {
      current.cancelled = true;
      current.aborter.abort();
    } else if (run.current === current) {
      toast.plain(
        outcome === 'too-late'
          ? { title: t('generation.tooLate'), description: t('generation.tooLateDetail') }
          : { title: t('generation.cancelUnknown'), description: t('generation.cancelUnknownDetail') },
      );
      setActivity((now) => (now.kind === 'generating' ? { ...now, cancelling: false } : now));
    }
  }

  return { activity, finished, generate, sendAgain, cancel };
}

/** True when the next press should ask for the result of this request instead of charging again. */
function mayStillArrive(outcome: GenerationOutcome<unknown>): boolean {
  return outcome.kind === 'failed' && (outcome.refund === 'kept' || outcome.answer.kind === 'unreachable');
}
