import { useEffect, useRef, useState } from 'react';
import { useForm, useWatch, type FieldErrors, type FieldValues } from 'react-hook-form';
import { defaultsOf, lazyResolver } from '@/lib/form-resolver';
import { useI18n } from '@/lib/i18n';
import type { SessionUser } from '@/lib/session';
import { toast } from '@/lib/toast';
import type { Wallet } from './charge';
import { draftStorage, idempotencyWindowMs, type PendingRequest } from './draft-storage';
import type { RefusedField } from './outcome-messages';
import { missingFields } from './missing-fields';
import { isSameSubmission } from './submission';
import { saveDocument } from './save-document';
import type { RequestBody, Tool } from './tool';
import { useChecks } from './use-checks';
import { useGeneration, type Delivery } from './use-generation';
import { useSample } from './use-sample';
import { useToastTexts } from './use-toast-texts';

/** What a builder gets, whatever its tool. */
export interface BuilderProps {
  user: SessionUser;
  wallet: Wallet;
  cost: number;
  onInsufficient: (coins: number) => void;
  /** The session is over, or a visitor pressed a button. */
  onSignedOut: () => void;
}

type Inputs<Form, Content> = Omit<BuilderProps, 'cost'> & { tool: Tool<Form, Content> };

/** Everything about a builder that does not depend on the fields of its form. */
export function useBuilder<Form extends FieldValues, Content>(inputs: Inputs<Form, Content>) {
  const { tool, user } = inputs;
  const { t } = useI18n();
  const toastTexts = useToastTexts();
  const initial = useInitialState(tool, user.id);
  const form = useForm<Form>({
    resolver: lazyResolver(async () => (await tool.checks()).form),
    defaultValues: defaultsOf(initial.form),
    mode: 'onTouched',
  });
  const values = useWatch({
    control: form.control,
    compute: (current: Form): Form => ({ ...initial.form, ...current }),
  });
  const sample = useSample(tool.functionName, user.id, initial.pending?.sample);
  const { pending, recheckPending } = usePending(tool, user.id, initial.pending);
  const generation = useGeneration(inputs);
  const { activity, finished, sendAgain } = generation;
  const busy = activity.kind !== 'idle' || sample.isAwaited;
  const refused = useRefused(values, generation.refused);
  const paidAlready = sample.isSettled && isPaid(values, sample.object);
  const recoverable = sample.isSettled && isRecoverable(values, sample.object);
  useDraft(tool, user.id, values, paidAlready);
  const loadFailed = useChecks(tool, isStarted(tool, values));

  const columnRef = useRef<HTMLDivElement>(null);
  const made = finished?.document;
  const { forget } = sample.upload;
  useEffect(() => {
    if (!made) return;
    forget();
    columnRef.current?.focus({ preventScroll: true });
    columnRef.current?.scrollIntoView({ block: 'start' });
  }, [made, forget]);

  function isPaid(current: Form, object: string): boolean {
    return finished !== null && isSameSubmission(tool, finished, { form: current, sample: object });
  }

  function isRecoverable(current: Form, object: string): boolean {
    if (!pending || finished) return false;
    return isSameSubmission(tool, pending, { form: current, sample: object });
  }

  function refuse(errors: FieldErrors<Form>) {
    if (errors.root)
      toast.error({ title: t(tool.texts.failed.title), description: t('generation.loadFailed') });
    else toast.error(toastTexts(tool.texts.incomplete));
  }

  /** `mayCharge` is asked before a document is charged for the first time. */
  async function generate(delivery: Delivery, mayCharge?: (request: RequestBody) => Promise<boolean>) {
    const object = await sample.waitForObject();
    if (object === null) return;
    const paid = finished && isPaid(form.getValues(), object) ? finished : null;
    if (delivery === 'download' && paid?.mail.kind === 'failed') {
      saveDocument(paid.document);
      return;
    }
    if (delivery === 'email' && paid) {
      await sendAgain(paid.document);
      return;
    }
    const confirm = paid || isRecoverable(values, object) ? undefined : mayCharge;
    await form.handleSubmit(async (checked) => {
      if (confirm && !(await confirm(tool.requestOf(checked, object)))) return;
      await generation.generate(checked, object, delivery);
    }, refuse)();
    recheckPending();
  }

  return {
    form,
    /** The current form. */
    values,
    activity,
    finished,
    cancel: generation.cancel,
    generate,
    /** Reports what is wrong with an incomplete form. */
    refuse,
    /** The field that the server refused, until it is changed. */
    refused,
    sample,
    /** The place of the finished document, which gets the focus when it arrives. */
    columnRef,
    busy,
    /** The labels of the required fields that are empty. */
    missing: missingFields(tool, values),
    /** The checks failed to load. Nothing can be estimated or generated without them. */
    loadFailed,
    paidAlready,
    /**
     * The form asks for a document that was charged before
     * the page closed, and its result can still be fetched.
     */
    recoverable,
  };
}

/** The field that the server refused, until it is changed. */
function useRefused(values: FieldValues, refused: RefusedField | null): RefusedField | null {
  const [seen, setSeen] = useState<{ refused: RefusedField | null; text: unknown }>({
    refused: null,
    text: null,
  });
  const text: unknown = refused && values[refused.field];
  if (seen.refused !== refused) setSeen({ refused, text });
  return refused && text === seen.text ? refused : null;
}

/** The initial state of a builder: a pending request, or the stored form. */
function useInitialState<Form extends object, Content>(tool: Tool<Form, Content>, userId: string) {
  const [initial] = useState(() => {
    const storage = draftStorage(tool, userId);
    const pending = storage.loadPending(Date.now());
    return { form: pending?.form ?? storage.loadDraft(), pending };
  });
  return initial;
}

/** The pending request with which the builder began, until it expires or is answered. */
function usePending<Form extends object, Content>(
  tool: Tool<Form, Content>,
  userId: string,
  first: PendingRequest<Form> | null,
) {
  const [pending, setPending] = useState(first);
  useEffect(() => {
    if (!pending) return;
    const forget = () => {
      setPending(null);
    };
    const timer = window.setTimeout(forget, pending.startedAt + idempotencyWindowMs - Date.now());
    return () => {
      window.clearTimeout(timer);
    };
  }, [pending]);

  /** Called after a press, which may have been answered. */
  function recheckPending() {
    setPending((now) => now && draftStorage(tool, userId).findPending(now, Date.now()));
  }
  return { pending, recheckPending };
}

/** Whether something was filled in, now or on an earlier visit. */
function isStarted<Form extends object, Content>(tool: Tool<Form, Content>, values: Form): boolean {
  return JSON.stringify(values) !== JSON.stringify(tool.empty);
}

/** Stores the form on the device until its document is generated. */
function useDraft<Form extends object, Content>(
  tool: Tool<Form, Content>,
  userId: string,
  values: Form,
  made: boolean,
) {
  const text = JSON.stringify(values);
  const last = useRef(text);
  useEffect(() => {
    if (last.current === text) return;
    last.current = text;
    const storage = draftStorage(tool, userId);
    if (made) storage.clearDraft();
    else storage.saveDraft(values);
  }, [tool, userId, values, text, made]);
}
