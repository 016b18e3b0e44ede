import { visitorId } from '@/lib/left-on-device';
import { fieldOf } from '@/lib/unknown-fields';
import { isSameRequest, type Filled } from './same-request';
import type { Tool } from './tool';

/** How long the server hands out a stored result for the same key (SPECIFICATION.md D08). */
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
  const visitorsKey = `draft.${tool.functionName}.${visitorId}`;
  const pendingKey = `pending.${tool.functionName}.${userId}`;
  const drafts = userId === visitorId ? ofTab : ofDevice;

  const all = () => [read(ofDevice, pendingKey)].flat().flatMap((kept) => requestIn(kept, tool.empty));
  const remembered = (now: number) => all().filter(({ startedAt }) => now - startedAt < keptForMs);
  const without = (filled: Filled<Form>, requests: PendingRequest<Form>[]) =>
    requests.filter((request) => !isSameRequest(tool, request, filled));

  return {
    /**
     * The form as it was left, or the empty one. What was filled in before signing in belongs to who signed in; where
     * nothing was, their own draft stays.
     */
    draft(): Form {
      const visitors = userId === visitorId ? null : read(ofTab, visitorsKey);
      if (visitors !== null) {
        if (isFilledIn(tool.empty, visitors)) write(drafts, draftKey, visitors);
        remove(ofTab, visitorsKey);
      }
      return formAsLeft(tool.empty, read(drafts, draftKey));
    },
    keepDraft(form: Form): void {
      write(drafts, draftKey, form);
    },
    forgetDraft(): void {
      remove(drafts, draftKey);
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
      write(ofDevice, pendingKey, [request, ...without(request, remembered(request.startedAt))]);
    },
    forgetPending(filled: Filled<Form>): void {
      const left = without(filled, all());
      if (left.length > 0) write(ofDevice, pendingKey, left);
      else remove(ofDevice, pendingKey);
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

function isFilledIn(empty: object, left: unknown): boolean {
  return JSON.stringify(formAsLeft(empty, left)) !== JSON.stringify(empty);
}

/** The fields of forms are texts and lists of texts. */
function isLike<Value>(value: unknown, model: Value): value is Value {
  if (!Array.isArray(model)) return typeof value === typeof model;
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** Asked for when it is used: a browser that keeps nothing refuses even to name it. */
type Place = () => Storage;

const ofDevice: Place = () => localStorage;
const ofTab: Place = () => sessionStorage;

function read(place: Place, key: string): unknown {
  try {
    return JSON.parse(place().getItem(key) ?? 'null');
  } catch {
    return null;
  }
}

function write(place: Place, key: string, value: unknown): void {
  try {
    place().setItem(key, JSON.stringify(value));
  } catch {
    // Without room on the device only a reload loses what was typed, or the way back to a result.
  }
}

function remove(place: Place, key: string): void {
  try {
    place().removeItem(key);
  } catch {
    // Nothing was stored then.
  }
}
