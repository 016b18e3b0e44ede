import { useEffect, useRef, useState } from 'react';
import { useForm, useWatch, type FieldErrors, type FieldValues } from 'react-hook-form';
import { defaultsOf, lateResolver } from '@/lib/form-resolver';
import { useI18n } from '@/lib/i18n';
import type { SessionUser } from '@/lib/session';
import { toast } from '@/lib/toast';
import type { Wallet } from './charge';
import type { RefusedField } from './endings';
import { keptFor, keptForMs, type PendingRequest } from './kept';
import { missingFields } from './missing-fields';
import { isSameRequest } from './same-request';
import { saveDocument } from './save-document';
import type { RequestBody, Tool } from './tool';
import { useChecks } from './use-checks';
import { useGeneration, type Delivery } from './use-generation';
import { useToastTexts } from './use-toast-texts';

/** What a builder works with, whatever its tool. */
export interface BuilderProps {
  user: SessionUser;
  wallet: Wallet;
  cost: number;
  onInsufficient: (coins: number) => void;
  /** The session is over, or a visitor pressed a button. */
  onSignedOut: () => void;
}

type Inputs<Form, Content> = Omit<BuilderProps, 'cost'> & { tool: Tool<Form, Content> };

/** Everything about a builder that does not depend on what its form asks for. */
export function useBuilder<Form extends FieldValues, Content>(inputs: Inputs<Form, Content>) {
  const { tool, user } = inputs;
  const { t } = useI18n();
  const inWords = useToastTexts();
  const beginning = useBeginning(tool, user.id);
  const form = useForm<Form>({
    resolver: lateResolver(async () => (await tool.checks()).form),
    defaultValues: defaultsOf(beginning.form),
    mode: 'onTouched',
  });
  const values = useWatch({
    control: form.control,
    compute: (current: Form): Form => ({ ...beginning.form, ...current }),
  });
  const [sample, setSample] = useState(beginning.sample);
  const { pending, lookAgain } = usePending(tool, user.id, beginning.pending);
  const generation = useGeneration(inputs);
  const { activity, finished, generate, sendAgain } = generation;
  const busy = activity.kind !== 'idle';
  const refused = useRefused(values, generation.refused);
  const paidAlready = finished !== null && isPaid(values);
  const recoverable =
    pending !== null && finished === null && isSameRequest(tool, pending, { form: values, sample });
  useDraft(tool, user.id, values, paidAlready);
  const lacking = useChecks(tool, isBegun(tool, values));

  const columnRef = useRef<HTMLDivElement>(null);
  const made = finished?.document;
  useEffect(() => {
    if (!made) return;
    columnRef.current?.focus({ preventScroll: true });
    columnRef.current?.scrollIntoView({ block: 'start' });
  }, [made]);

  function isPaid(current: Form): boolean {
    return finished !== null && isSameRequest(tool, finished, { form: current, sample });
  }

  function refuse(errors: FieldErrors<Form>) {
    if (errors.root)
      toast.error({ title: t(tool.texts.failed.title), description: t('generation.partLacking') });
    else toast.error(inWords(tool.texts.incomplete));
  }

  /** `mayCharge` is asked before a document is paid that was not charged already. */
  async function make(delivery: Delivery, mayCharge?: (request: RequestBody) => Promise<boolean>) {
    const paid = finished && isPaid(form.getValues()) ? finished : null;
    if (delivery === 'download' && paid?.mail.kind === 'failed') {
      saveDocument(paid.document);
      return;
    }
    if (delivery === 'email' && paid) {
      await sendAgain(paid.document);
      return;
    }
    const asks = paid || recoverable ? undefined : mayCharge;
    await form.handleSubmit(async (checked) => {
      if (asks && !(await asks(tool.requestOf(checked, sample)))) return;
      await generate(checked, sample, delivery);
    }, refuse)();
    lookAgain();
  }

  return {
    form,
    /** The form as it stands. */
    values,
    activity,
    finished,
    cancel: generation.cancel,
    make,
    /** Says what is wrong with a form that cannot be taken. */
    refuse,
    /** The field that the server refused, until it is changed. */
    refused,
    sample,
    setSample,
    /** Where the finished document stands: it gets the focus when it comes. */
    columnRef,
    busy,
    /** The names of the required fields that are not filled in. */
    missing: missingFields(tool, values),
    /** What checks the form has not arrived: nothing can be foretold, and nothing is made. */
    lacking,
    paidAlready,
    /** The form asks for what was charged before the page closed, and its result can still be fetched. */
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

/** What a builder begins with: a request whose result is still to come, or the form as it was left. */
function useBeginning<Form extends object, Content>(tool: Tool<Form, Content>, userId: string) {
  const [beginning] = useState(() => {
    const kept = keptFor(tool, userId);
    const pending = kept.pending(Date.now());
    return pending
      ? { form: pending.form, sample: pending.sample, pending }
      : { form: kept.draft(), sample: '', pending };
  });
  return beginning;
}

/** The request that a builder began with, until the server forgets it or something else was asked for. */
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
    const timer = window.setTimeout(forget, pending.startedAt + keptForMs - Date.now());
    return () => {
      window.clearTimeout(timer);
    };
  }, [pending]);

  /** After a press: it may have been answered. */
  function lookAgain() {
    setPending((now) => now && keptFor(tool, userId).pendingFor(now, Date.now()));
  }
  return { pending, lookAgain };
}

/** Something was filled in, now or on an earlier visit. */
function isBegun<Form extends object, Content>(tool: Tool<Form, Content>, values: Form): boolean {
  return JSON.stringify(values) !== JSON.stringify(tool.empty);
}

/** Keeps the form on the device until its document is made. */
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
    const kept = keptFor(tool, userId);
    if (made) kept.forgetDraft();
    else kept.keepDraft(values);
  }, [tool, userId, values, text, made]);
}
