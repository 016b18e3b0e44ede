import { visitorId } from '@/lib/clear-user-data';
import { fieldOf } from '@/lib/unknown-fields';
import { isSameSubmission, type Submission } from './submission';
import type { Tool } from './tool';

/** How long the server hands out a stored result for the same key (SPECIFICATION.md D08). */
export const idempotencyWindowMs = 10 * 60 * 1_000;

/**
 * A request that was charged and whose result has not arrived. It is stored so that the result can
 * be fetched after a reload.
 */
export interface PendingRequest<Form> extends Submission<Form> {
  /** Milliseconds. */
  startedAt: number;
}

/**
 * Stores a builder's data for one user on the device: the form until its document is generated, and
 * each request until it is answered. The tabs of a browser share the storage, and none clears the
 * request of another.
 */
export function draftStorage<Form extends object, Content>(tool: Tool<Form, Content>, userId: string) {
  const draftKey = `draft.${tool.functionName}.${userId}`;
  const visitorsKey = `draft.${tool.functionName}.${visitorId}`;
  const pendingKey = `pending.${tool.functionName}.${userId}`;
  const drafts = userId === visitorId ? getSessionStorage : getLocalStorage;

  const all = () =>
    [read(getLocalStorage, pendingKey)].flat().flatMap((stored) => restoreRequest(stored, tool.empty));
  const unexpired = (now: number) => all().filter(({ startedAt }) => now - startedAt < idempotencyWindowMs);
  const without = (submission: Submission<Form>, requests: PendingRequest<Form>[]) =>
    requests.filter((request) => !isSameSubmission(tool, request, submission));

  return {
    /**
     * Returns the stored form, or the empty one. What a visitor filled in goes to the user who
     * signs in. If the visitor filled in nothing, the user's own draft stays.
     */
    loadDraft(): Form {
      const visitors = userId === visitorId ? null : read(getSessionStorage, visitorsKey);
      if (visitors !== null) {
        if (isFilledIn(tool.empty, visitors)) write(drafts, draftKey, visitors);
        remove(getSessionStorage, visitorsKey);
      }
      return restoreForm(tool.empty, read(drafts, draftKey));
    },
    saveDraft(form: Form): void {
      write(drafts, draftKey, form);
    },
    clearDraft(): void {
      remove(drafts, draftKey);
    },
    /** The newest request that the server still remembers at `now`, or null. */
    loadPending(now: number): PendingRequest<Form> | null {
      return unexpired(now)[0] ?? null;
    },
    /** The pending request for the same document, or null. */
    findPending(submission: Submission<Form>, now: number): PendingRequest<Form> | null {
      return unexpired(now).find((request) => isSameSubmission(tool, request, submission)) ?? null;
    },
    savePending(request: PendingRequest<Form>): void {
      write(getLocalStorage, pendingKey, [request, ...without(request, unexpired(request.startedAt))]);
    },
    clearPending(submission: Submission<Form>): void {
      const left = without(submission, all());
      if (left.length > 0) write(getLocalStorage, pendingKey, left);
      else remove(getLocalStorage, pendingKey);
    },
  };
}

/** Reads a stored request. Other stored values are ignored. */
function restoreRequest<Form extends object>(stored: unknown, empty: Form): PendingRequest<Form>[] {
  const startedAt = fieldOf(stored, 'startedAt');
  const sample = fieldOf(stored, 'sample');
  if (typeof startedAt !== 'number' || typeof sample !== 'string') return [];
  return [{ form: restoreForm(empty, fieldOf(stored, 'form')), sample, startedAt }];
}

/** Reads a stored form. A field that is missing or has another type keeps its initial value. */
function restoreForm<Form extends object>(empty: Form, left: unknown): Form {
  const form = { ...empty };
  for (const name in form) {
    const value = fieldOf(left, name);
    if (hasSameShape(value, form[name])) form[name] = value;
  }
  return form;
}

function isFilledIn(empty: object, left: unknown): boolean {
  return JSON.stringify(restoreForm(empty, left)) !== JSON.stringify(empty);
}

/** The fields of forms are texts and lists of texts. */
function hasSameShape<Value>(value: unknown, model: Value): value is Value {
  if (!Array.isArray(model)) return typeof value === typeof model;
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/**
 * Storage is looked up when it is used, because a
 * browser without storage throws on the name itself.
 */
type GetStorage = () => Storage;

const getLocalStorage: GetStorage = () => localStorage;
const getSessionStorage: GetStorage = () => sessionStorage;

function read(getStorage: GetStorage, key: string): unknown {
  try {
    return JSON.parse(getStorage().getItem(key) ?? 'null');
  } catch {
    return null;
  }
}

function write(getStorage: GetStorage, key: string, value: unknown): void {
  try {
    getStorage().setItem(key, JSON.stringify(value));
  } catch {
    // If storage is full, only a reload loses the form or the way back to a result.
  }
}

function remove(getStorage: GetStorage, key: string): void {
  try {
    getStorage().removeItem(key);
  } catch {
    // Nothing was stored then.
  }
}
