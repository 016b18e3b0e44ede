import { useEffect, useRef, useState } from 'react';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import { useLeaveWarning } from '@/hooks/use-leave-warning';
import type { MessageKey } from '@/lib/i18n';
import type { SessionUser } from '@/lib/session';
import { toast } from '@/lib/toast';
import type { Wallet } from './charge';
import { keptFor, type PendingRequest } from './kept';
import { isSameRequest } from './request-key';
import { saveDocument } from './save-document';
import type { Tool } from './tool';
import { useGeneration, type Delivery } from './use-generation';
import { useToastTexts } from './use-toast-texts';

/** What a builder begins with: a request whose result is still to come, or the form as it was left. */
export interface Beginning<Form> {
  form: Form;
  sample: string;
  pending: boolean;
}

export function useBeginning<Form, Content>(tool: Tool<Form, Content>, userId: string): Beginning<Form> {
  const [beginning] = useState(() => {
    const kept = keptFor(tool, userId);
    const pending: PendingRequest<Form> | null = kept.pending(Date.now());
    return pending
      ? { form: pending.form, sample: pending.sample, pending: true }
      : { form: kept.draft(), sample: '', pending: false };
  });
  return beginning;
}

interface Inputs<Form extends FieldValues, Content> {
  tool: Tool<Form, Content>;
  form: UseFormReturn<Form>;
  /** The form as it stands. */
  values: Form;
  beginning: Beginning<Form>;
  user: SessionUser;
  wallet: Wallet;
  onInsufficient: (coins: number) => void;
  onSignedOut: () => void;
}

/** Everything about a builder that does not depend on what its form asks for. */
export function useBuilder<Form extends FieldValues, Content>(inputs: Inputs<Form, Content>) {
  const { tool, form, values, beginning, user } = inputs;
  const inWords = useToastTexts();
  const [sample, setSample] = useState(beginning.sample);
  const generation = useGeneration(inputs);
  const { activity, finished, generate, sendAgain } = generation;
  const busy = activity.kind !== 'idle';
  const paidAlready = finished !== null && isPaid(values);
  useLeaveWarning(busy);
  useDraft(tool, user.id, values, paidAlready);

  const column = useRef<HTMLDivElement>(null);
  const made = finished?.document;
  useEffect(() => {
    if (!made) return;
    column.current?.focus({ preventScroll: true });
    column.current?.scrollIntoView({ block: 'start' });
  }, [made]);

  function isPaid(current: Form): boolean {
    const checked = tool.schema.safeParse(current);
    return (
      finished !== null && checked.success && isSameRequest(tool, finished, { form: checked.data, sample })
    );
  }

  function refuseIncomplete() {
    toast.error(inWords(tool.texts.incomplete));
  }

  async function make(delivery: Delivery) {
    const paid = finished && isPaid(form.getValues()) ? finished : null;
    if (delivery === 'download' && paid?.mail.kind === 'failed') {
      saveDocument(paid.document);
      return;
    }
    if (delivery === 'email' && paid) {
      await sendAgain(paid.document);
      return;
    }
    await form.handleSubmit((checked) => generate(checked, sample, delivery), refuseIncomplete)();
  }

  return {
    activity,
    finished,
    cancel: generation.cancel,
    make,
    refuseIncomplete,
    sample,
    setSample,
    /** Where the finished document stands: it gets the focus when it comes. */
    column,
    busy,
    /** The names of the required fields that are not filled in as they should be. */
    missing: missingFields(tool, values),
    paidAlready,
    recoverable: beginning.pending && finished === null,
  };
}

function missingFields<Form, Content>(tool: Tool<Form, Content>, values: Form): MessageKey[] {
  const issues = tool.schema.safeParse(values).error?.issues ?? [];
  const fields = new Set(issues.map(({ path }) => path[0]));
  return Object.entries<MessageKey | undefined>(tool.labels).flatMap(([field, label]) =>
    label && fields.has(field) ? [label] : [],
  );
}

/** Keeps the form on the device until its document is made. */
function useDraft<Form, Content>(tool: Tool<Form, Content>, userId: string, values: Form, made: boolean) {
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
