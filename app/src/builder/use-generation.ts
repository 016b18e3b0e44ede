import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useI18n } from '@/lib/i18n';
import type { SessionUser } from '@/lib/session';
import { warnOnLeaving } from '@/lib/leave-warning';
import { storedUserId } from '@/lib/stored-session';
import { notificationsWanted } from '@/lib/notifications';
import { toast } from '@/lib/toast';
import { builderKeys } from './api/keys';
import { preloadFinishedDocument } from './components/finished-document';
import type { Wallet } from './charge';
import type { GenerationOutcome, GenerationSteps } from './generation';
import { draftStorage } from './draft-storage';
import type { RefusedField } from './outcome-messages';
import { saveDocument } from './save-document';
import { useToastTexts } from './use-toast-texts';
import type { GeneratedDocument, Tool } from './tool';

export type Delivery = 'download' | 'email';

export type Activity =
  | { kind: 'idle' }
  | { kind: 'generating'; delivery: Delivery; startedAt: number; reconnecting: boolean; cancelling: boolean }
  | { kind: 'sending' };

/** The state of the mail. If it failed, downloading the document costs nothing more (S-201). */
export type MailState = { kind: 'none' } | { kind: 'sent'; to: string } | { kind: 'failed'; reason: string };

/** A finished document with the form from which it was generated. */
export interface Finished<Form, Content> {
  document: GeneratedDocument<Content>;
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
  /**
   * The session is over, and the application leads to /auth (SPECIFICATION.md S-202, S-217, S-268).
   */
  onSignedOut: () => void;
}

/**
 * Runs the generations and deliveries of one tool, one at a time, and shows the outcome of each.
 */
export function useGeneration<Form extends object, Content>(inputs: Inputs<Form, Content>) {
  const { tool, user, wallet, onInsufficient, onSignedOut } = inputs;
  const { t } = useI18n();
  const toastTexts = useToastTexts();
  const queries = useQueryClient();
  const [activity, setActivity] = useState<Activity>({ kind: 'idle' });
  const [finished, setFinished] = useState<Finished<Form, Content> | null>(null);
  const [refused, setRefused] = useState<RefusedField | null>(null);
  const run = useRef<Run | null>(null);
  const storage = draftStorage(tool, user.id);

  // A user who leaves the builder meanwhile learns what
  // becomes of the document (SPECIFICATION.md S-427).
  useEffect(
    () => () => {
      if (!run.current || !isSignedIn(user.id)) return;
      toast.plain({ title: t('generation.running'), description: t('generation.runningDetail') });
    },
    [user.id, t],
  );

  /** The checks have loaded by now, because the form was checked with them. */
  async function loadRuntime() {
    return (await tool.checks()).runtime;
  }

  async function generate(form: Form, sample: string, delivery: Delivery) {
    if (run.current) return;
    const now = Date.now();
    const resumed = storage.findPending({ form, sample }, now) !== null;
    const current: Run = {
      key: loadRuntime().then(({ requestKey }) => requestKey(tool.requestOf(form, sample))),
      aborter: new AbortController(),
      cancelled: false,
    };
    run.current = current;
    setRefused(null);
    const stopWarning = warnOnLeaving();
    preloadFinishedDocument();
    setActivity({ kind: 'generating', delivery, startedAt: now, reconnecting: false, cancelling: false });
    try {
      // The key is computed before anything is charged,
      // because a browser may be unable to compute it.
      await current.key;
      const { runGeneration } = await loadRuntime();
      const outcome = await runGeneration(stepsOf(current, form, sample, resumed));
      await finish(outcome, { form, sample, delivery });
    } catch {
      toast.error({ title: t(tool.texts.failed.title), description: t('common.unexpected') });
    } finally {
      stopWarning();
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
        // The sign-out cleared what the user typed.
        if (outcome.kind === 'charged' && isSignedIn(user.id))
          storage.savePending({ form, sample, startedAt: Date.now() });
        return outcome;
      },
      ask: async () => {
        const { callFunction } = await loadRuntime();
        return callFunction(tool, {
          userId: user.id,
          request: tool.requestOf(form, sample),
          key: await current.key,
          signal: current.aborter.signal,
        });
      },
      now: Date.now,
      cancelled: () => current.cancelled,
      abandoned: () => !isSignedIn(user.id),
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

  async function finish(
    outcome: GenerationOutcome<Content>,
    submitted: { form: Form; sample: string; delivery: Delivery },
  ) {
    // The request stays stored, because its user may come back for the document.
    if (outcome.kind === 'abandoned' || !isSignedIn(user.id)) return;
    if (outcome.kind === 'done') {
      storage.clearPending(submitted);
      storage.clearDraft();
      setFinished({
        document: outcome.document,
        form: submitted.form,
        sample: submitted.sample,
        mail: { kind: 'none' },
      });
      await deliver(outcome.document, submitted.delivery);
      return;
    }
    if (!mayStillArrive(outcome)) storage.clearPending(submitted);
    setActivity({ kind: 'idle' });
    const { showOutcome, refusedField } = await loadRuntime();
    const refusal = refusedField(outcome, tool.texts);
    if (refusal && Object.hasOwn(submitted.form, refusal.field)) setRefused(refusal);
    else showOutcome(outcome, tool.texts, { onInsufficient, onSignedOut });
  }

  async function deliver(document: GeneratedDocument<Content>, delivery: Delivery) {
    if (delivery === 'download') {
      saveDocument(document);
      if (notificationsWanted()) toast.success(toastTexts(tool.texts.generated));
      return;
    }
    setActivity({ kind: 'sending' });
    const { sendDocument, mailFailureReason } = await loadRuntime();
    const outcome = await sendDocument(tool, user, document);
    // Another user who is signed in by now sees nothing of it.
    if (!isSignedIn(user.id)) return;
    if (outcome.kind === 'sent') {
      setFinished((now) => now && { ...now, mail: { kind: 'sent', to: user.email } });
      if (notificationsWanted()) toast.success(toastTexts(tool.texts.sent));
      return;
    }
    if (outcome.kind === 'refused' && outcome.status === 401) onSignedOut();
    const reason = mailFailureReason(outcome);
    setFinished((now) => now && { ...now, mail: { kind: 'failed', reason } });
    const description = [t('builder.emailFailedDetail'), reason].filter(Boolean).join('. ');
    toast.error({ title: t('builder.emailFailed'), description });
  }

  /** Mails a document that is already paid. */
  async function sendAgain(document: GeneratedDocument<Content>) {
    if (activity.kind !== 'idle') return;
    const stopWarning = warnOnLeaving();
    await deliver(document, 'email');
    stopWarning();
    setActivity({ kind: 'idle' });
  }

  async function cancel() {
    const current = run.current;
    if (!current || current.cancelled) return;
    setActivity((now) => (now.kind === 'generating' ? { ...now, cancelling: true } : now));
    const { cancelGeneration } = await loadRuntime();
    if (await cancelGeneration(user.id, await current.key)) {
      current.cancelled = true;
      current.aborter.abort();
    } else if (run.current === current && isSignedIn(user.id)) {
      toast.plain({
        title: t('generation.cancelUnknown'),
        description: t('generation.cancelUnknownDetail'),
      });
      setActivity((now) => (now.kind === 'generating' ? { ...now, cancelling: false } : now));
    }
  }

  return { activity, finished, refused, generate, sendAgain, cancel };
}

/** Whether the user is still signed in, as far as the device knows. */
function isSignedIn(userId: string): boolean {
  const stored = storedUserId();
  return stored === undefined || stored === userId;
}

/** True if the next press should fetch the result of this request instead of charging again. */
function mayStillArrive(outcome: GenerationOutcome<unknown>): boolean {
  return (
    outcome.kind === 'failed' && (outcome.refund === 'reserved' || outcome.answer.kind === 'unreachable')
  );
}
