import * as z from 'zod/mini';
import type { Tool } from './tool';

/** How long the server hands out a stored result for the same key (decisions.md D08). */
const keptForMs = 10 * 60 * 1_000;

/** A request that was charged and whose result has not arrived: kept so that a reload can still fetch it. */
export interface PendingRequest<Form> {
  form: Form;
  sample: string;
  /** Milliseconds. */
  startedAt: number;
}

/** What a builder keeps on the device for one user: the form until it is generated, and a request until it is answered. */
export function keptFor<Form, Content>(tool: Tool<Form, Content>, userId: string) {
  const draftKey = `draft.${tool.functionName}.${userId}`;
  const pendingKey = `pending.${tool.functionName}.${userId}`;
  const pendingSchema = z.object({ form: tool.schema, sample: z.string(), startedAt: z.number() });

  return {
    /** The form as it was left, or the empty one. */
    draft(): Form {
      const kept = tool.draft.safeParse(read(localStorage, draftKey) ?? {});
      return kept.success ? kept.data : tool.draft.parse({});
    },
    keepDraft(form: Form): void {
      write(localStorage, draftKey, form);
    },
    forgetDraft(): void {
      remove(localStorage, draftKey);
    },
    /** The pending request that the server still remembers at `now`, or null. */
    pending(now: number): PendingRequest<Form> | null {
      const kept = pendingSchema.safeParse(read(sessionStorage, pendingKey));
      return kept.success && now - kept.data.startedAt < keptForMs ? kept.data : null;
    },
    keepPending(request: PendingRequest<Form>): void {
      write(sessionStorage, pendingKey, request);
    },
    forgetPending(): void {
      remove(sessionStorage, pendingKey);
    },
  };
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
