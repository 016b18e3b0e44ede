import { useRef, useState } from 'react';
import { useI18n } from '@/lib/i18n';
import { blobFromBase64, saveBlob } from '@/lib/save-file';
import type { SessionUser } from '@/lib/session';
import { toast } from '@/lib/toast';
import { cancelGeneration } from './api/cancel-generation';
import { generateLessonPlan, type LessonPlan } from './api/generate-lesson-plan';
import { sendLessonPlan } from './api/send-lesson-plan';
import type { Wallet } from './charge';
import { runGeneration, type GenerationOutcome } from './generation';
import { forgetPending, isSameRequest, readPending, rememberPending } from './pending-request';
import { requestKey } from './request-key';
import { requestOf, type LessonPlanForm } from './schema';

export type Delivery = 'download' | 'email';

export type Activity =
  | { kind: 'idle' }
  | { kind: 'generating'; delivery: Delivery; startedAt: number; reconnecting: boolean; cancelling: boolean }
  | { kind: 'sending' };

/** A finished plan together with the form that it was made from. */
export interface FinishedPlan {
  plan: LessonPlan;
  form: LessonPlanForm;
  sample: string;
  /** Mailing it failed, so its owner is offered the download without another charge (S-201). */
  mailFailed: boolean;
}

interface Run {
  key: Promise<string>;
  aborter: AbortController;
  cancelled: boolean;
}

interface Inputs {
  user: SessionUser;
  wallet: Wallet;
  onInsufficient: (coins: number) => void;
}

/** Runs generations and deliveries, one at a time, and tells how each ended. */
export function useLessonPlan({ user, wallet, onInsufficient }: Inputs) {
  const { t } = useI18n();
  const [activity, setActivity] = useState<Activity>({ kind: 'idle' });
  const [finished, setFinished] = useState<FinishedPlan | null>(null);
  const run = useRef<Run | null>(null);

  async function generate(form: LessonPlanForm, sample: string, delivery: Delivery) {
    if (run.current) return;
    const pending = readPending(user.id, Date.now());
    const resumed = pending !== null && isSameRequest(pending, form, sample);
    const current: Run = {
      key: requestKey(requestOf(form, sample)),
      aborter: new AbortController(),
      cancelled: false,
    };
    run.current = current;
    setActivity({
      kind: 'generating',
      delivery,
      startedAt: Date.now(),
      reconnecting: false,
      cancelling: false,
    });
    try {
      const outcome = await runGeneration(stepsOf(current, form, sample, resumed));
      await settle(outcome, { form, sample, delivery });
    } finally {
      run.current = null;
      setActivity({ kind: 'idle' });
      void wallet.refresh();
    }
  }

  function stepsOf(current: Run, form: LessonPlanForm, sample: string, resumed: boolean) {
    return {
      resumed,
      charge: async () => {
        const outcome = await wallet.charge();
        if (outcome.kind === 'charged') {
          rememberPending({ userId: user.id, form, sample, startedAt: Date.now() });
        }
        return outcome;
      },
      ask: async () => generateLessonPlan(requestOf(form, sample), await current.key, current.aborter.signal),
      cancelled: () => current.cancelled,
      wait: (milliseconds: number) =>
        new Promise<void>((resolve) => {
          window.setTimeout(resolve, milliseconds);
        }),
      onReconnecting: () => {
        setActivity((now) => (now.kind === 'generating' ? { ...now, reconnecting: true } : now));
      },
    };
  }

  async function settle(
    outcome: GenerationOutcome,
    made: { form: LessonPlanForm; sample: string; delivery: Delivery },
  ) {
    if (outcome.kind === 'done') {
      forgetPending();
      setFinished({ plan: outcome.plan, form: made.form, sample: made.sample, mailFailed: false });
      await deliver(outcome.plan, made.delivery);
      return;
    }
    if (!mayStillArrive(outcome)) forgetPending();
    setActivity({ kind: 'idle' });
    tell(outcome);
  }

  function tell(outcome: Exclude<GenerationOutcome, { kind: 'done' }>) {
    if (outcome.kind === 'insufficient') {
      onInsufficient(outcome.coins);
    } else if (outcome.kind === 'charge-failed') {
      toast.error({
        title: t(outcome.reason === 'refused' ? 'generation.deductFailed' : 'generation.paymentFailed'),
      });
    } else if (outcome.kind === 'cancelled') {
      toast.plain({ title: t('generation.cancelled'), description: t('generation.returned') });
    } else {
      toast.error({ title: t('lesson.failed'), description: explain(outcome) });
    }
  }

  function explain({ answer, refund }: Extract<GenerationOutcome, { kind: 'failed' }>): string {
    const reasons = {
      refused: answer.kind === 'refused' ? answer.message : undefined,
      empty: t(
        answer.kind === 'empty' && answer.missing === 'document'
          ? 'generation.noDocument'
          : 'generation.noResponse',
      ),
      unreachable: t('generation.unreachable'),
    };
    const credits = { returned: t('generation.returned'), kept: t('generation.kept'), none: '' };
    return [reasons[answer.kind], credits[refund]].filter(Boolean).join(' ');
  }

  async function deliver(plan: LessonPlan, delivery: Delivery) {
    if (delivery === 'download') {
      save(plan);
      toast.success({ title: t('lesson.generated') });
      return;
    }
    setActivity({ kind: 'sending' });
    const sent = await sendLessonPlan(user.email, plan);
    setFinished((now) => now && { ...now, mailFailed: !sent });
    if (sent) toast.success({ title: t('lesson.sent') });
    else toast.error({ title: t('lesson.emailFailed'), description: t('lesson.emailFailedDetail') });
  }

  /** Mails a plan that is already paid. */
  async function sendAgain(plan: LessonPlan) {
    if (activity.kind !== 'idle') return;
    await deliver(plan, 'email');
    setActivity({ kind: 'idle' });
  }

  async function cancel() {
    const current = run.current;
    if (!current || current.cancelled) return;
    setActivity((now) => (now.kind === 'generating' ? { ...now, cancelling: true } : now));
    if (await cancelGeneration(await current.key)) {
      current.cancelled = true;
      current.aborter.abort();
    } else if (run.current === current) {
      toast.plain({ title: t('generation.tooLate'), description: t('generation.tooLateDetail') });
      setActivity((now) => (now.kind === 'generating' ? { ...now, cancelling: false } : now));
    }
  }

  return { activity, finished, generate, sendAgain, save, cancel };
}

/** True when the next press should ask for the result of this request instead of charging again. */
function mayStillArrive(outcome: GenerationOutcome): boolean {
  return outcome.kind === 'failed' && (outcome.refund === 'kept' || outcome.answer.kind === 'unreachable');
}

/** Saves the file of a plan on the device. */
function save(plan: LessonPlan): void {
  saveBlob(blobFromBase64(plan.docContent, 'application/rtf'), plan.filename);
}
