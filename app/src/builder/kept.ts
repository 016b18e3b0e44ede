import { fieldOf } from '@/lib/unknown-fields';
import { isSameRequest, type Filled } from './same-request';
import type { Tool } from './tool';

/** How long the server hands out a stored result for the same key (decisions.md D08). */
export const keptForMs = 10 * 60 * 1_000;

/** A request that was charged and whose result has not arrived: kept so that it can still be fetched when the page is gone. */
export interface PendingRequest<Form> extends Filled<Form> {
  /** Milliseconds. */
  startedAt: number;
}

/**
 * What a builder keeps on the device for one user: the form until it is generated, and each request until it is answered.
 * The tabs of a browser share it: none forgets the request of another.
 */
export function keptFor<Form extends object, Content>(tool: Tool<Form, Content>, userId: string) {
  const draftKey = `draft.${tool.functionName}.${userId}`;
  const pendingKey = `pending.${tool.functionName}.${userId}`;

  const all = () => [read(pendingKey)].flat().flatMap((kept) => requestIn(kept, tool.empty));
  const remembered = (now: number) => all().filter(({ startedAt }) => now - startedAt < keptForMs);
  const without = (filled: Filled<Form>, requests: PendingRequest<Form>[]) =>
    requests.filter((request) => !isSameRequest(tool, request, filled));

  return {
    /** The form as it was left, or the empty one. */
    draft(): Form {
      return formAsLeft(tool.empty, read(draftKey));
    },
    keepDraft(form: Form): void {
      write(draftKey, form);
    },
    forgetDraft(): void {
      remove(draftKey);
    },
    /** The newest request that the server still remembers at `now`, or null. */
    pending(now: number): PendingRequest<Form> | null {
      return remembered(now)[0] ?? null;
    },
    /** The one that asks for the same document, or null. */
    pendingFor(filled: Filled<Form>, now: number): PendingRequest<Form> | null {
      return remembered(now).find((request) => isSameRequest(tool, request, filled)) ?? null;
    },
    keepPending(request: PendingRequest<Form>): void {
      write(pendingKey, [request, ...without(request, remembered(request.startedAt))]);
    },
    forgetPending(filled: Filled<Form>): void {
      const left = without(filled, all());
      if (left.length > 0) write(pendingKey, left);
      else remove(pendingKey);
    },
  };
}

/** A request from the device; none where something else stands there. */
function requestIn<Form extends object>(kept: unknown, empty: Form): PendingRequest<Form>[] {
  const startedAt = fieldOf(kept, 'startedAt');
  const sample = fieldOf(kept, 'sample');
  if (typeof startedAt !== 'number' || typeof sample !== 'string') return [];
  return [{ form: formAsLeft(empty, fieldOf(kept, 'form')), sample, startedAt }];
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

function read(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null');
  } catch {
    return null;
  }
}

function write(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Without room on the device only a reload loses what was typed, or the way back to a result.
  }
}

function remove(key: string): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // Nothing was stored then.
  }
}
