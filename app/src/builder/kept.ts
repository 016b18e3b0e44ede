import { fieldOf } from '@/lib/unknown-fields';
import type { Tool } from './tool';

/** How long the server hands out a stored result for the same key (decisions.md D08). */
export const keptForMs = 10 * 60 * 1_000;

/** A request that was charged and whose result has not arrived: kept so that a reload can still fetch it. */
export interface PendingRequest<Form> {
  form: Form;
  sample: string;
  /** Milliseconds. */
  startedAt: number;
}

/** What a builder keeps on the device for one user: the form until it is generated, and a request until it is answered. */
export function keptFor<Form extends object, Content>(tool: Tool<Form, Content>, userId: string) {
  const draftKey = `draft.${tool.functionName}.${userId}`;
  const pendingKey = `pending.${tool.functionName}.${userId}`;

  return {
    /** The form as it was left, or the empty one. */
    draft(): Form {
      return formAsLeft(tool.empty, read(localStorage, draftKey));
    },
    keepDraft(form: Form): void {
      write(localStorage, draftKey, form);
    },
    forgetDraft(): void {
      remove(localStorage, draftKey);
    },
    /** The pending request that the server still remembers at `now`, or null. */
    pending(now: number): PendingRequest<Form> | null {
      const kept = read(sessionStorage, pendingKey);
      const startedAt = fieldOf(kept, 'startedAt');
      const sample = fieldOf(kept, 'sample');
      if (typeof startedAt !== 'number' || typeof sample !== 'string' || now - startedAt >= keptForMs)
        return null;
      return { form: formAsLeft(tool.empty, fieldOf(kept, 'form')), sample, startedAt };
    },
    keepPending(request: PendingRequest<Form>): void {
      write(sessionStorage, pendingKey, request);
    },
    forgetPending(): void {
      remove(sessionStorage, pendingKey);
    },
  };
}

/** A form from the device; a field that is missing there, or of another kind, is as the form begins with it. */
function formAsLeft<Form extends object>(empty: Form, left: unknown): Form {
  const form = { ...empty };
  for (const name in form) {
    const value = fieldOf(left, name);
    if (isLike(value, form[name])) form[name] = value;
  }
  return form;
}

/** The fields of forms are texts and lists of texts. */
function isLike<Value>(value: unknown, model: Value): value is Value {
  if (!Array.isArray(model)) return typeof value === typeof model;
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function read(storage: Storage, key: string): unknown {
  try {
    return JSON.parse(storage.getItem(key) ?? 'null');
  } catch {
    return null;
  }
}

function write(storage: Storage, key: string, value: unknown): void {
  try {
    storage.setItem(key, JSON.stringify(value));
  } catch {
    // Without room on the device only a reload loses what was typed, or the way back to a result.
  }
}

function remove(storage: Storage, key: string): void {
  try {
    storage.removeItem(key);
  } catch {
    // Nothing was stored then.
  }
}
