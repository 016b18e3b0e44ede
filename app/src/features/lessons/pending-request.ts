import * as z from 'zod/mini';
import type { LessonPlanForm } from './schema';
import { lessonPlanSchema } from './schema';

const storageKey = 'lesson-plan.pending';

/** How long the server hands out a stored result for the same key (decisions.md D08). */
const keptForMs = 10 * 60 * 1_000;

const pendingSchema = z.object({
  userId: z.string(),
  form: lessonPlanSchema,
  sample: z.string(),
  startedAt: z.number(),
});

/** A request that was charged and whose result has not arrived: kept so that a reload can still fetch it. */
export type PendingRequest = z.infer<typeof pendingSchema>;

export function rememberPending(request: PendingRequest): void {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(request));
  } catch {
    // Without storage only a reload in the middle of a generation loses the way back to its result.
  }
}

export function forgetPending(): void {
  try {
    sessionStorage.removeItem(storageKey);
  } catch {
    // Nothing was stored then.
  }
}

/** The user's own pending request that the server still remembers at `now`, or null. */
export function readPending(userId: string, now: number): PendingRequest | null {
  try {
    const parsed = pendingSchema.safeParse(JSON.parse(sessionStorage.getItem(storageKey) ?? 'null'));
    if (!parsed.success || parsed.data.userId !== userId) return null;
    return now - parsed.data.startedAt < keptForMs ? parsed.data : null;
  } catch {
    return null;
  }
}

/** Whether a pending request asks for exactly this plan. */
export function isSameRequest(pending: PendingRequest, form: LessonPlanForm, sample: string): boolean {
  return pending.sample === sample && JSON.stringify(pending.form) === JSON.stringify(form);
}
