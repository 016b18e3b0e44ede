import { FunctionsFetchError, FunctionsHttpError } from '@supabase/supabase-js';
import * as z from 'zod/mini';
import { supabase } from '@/lib/supabase';
import { parseDocument, type LessonPlanDocument } from '../document-schema';
import type { LessonPlanRequest } from '../schema';

const defaultFilename = 'lesson-plan-1.rtf';

/** A finished plan: the file, its plain text, and the structured document where the answer carries one. */
export interface LessonPlan {
  docContent: string;
  text: string;
  filename: string;
  document: LessonPlanDocument | null;
  warnings: string[];
}

export type GenerationAnswer =
  | { kind: 'plan'; plan: LessonPlan }
  /** The function said no; `message` is its sentence for the teacher. */
  | { kind: 'refused'; status: number; code: string; message: string | undefined }
  /** Success was answered, but without a document. */
  | { kind: 'empty'; missing: 'response' | 'document' }
  /** No answer arrived: the generation may be running all the same. */
  | { kind: 'unreachable' };

const responseSchema = z.object({
  docContent: z.optional(z.nullable(z.string())),
  lessonPlan: z.optional(z.nullable(z.string())),
  filename: z.optional(z.nullable(z.string())),
  data: z.optional(z.unknown()),
  meta: z.optional(z.object({ warnings: z._default(z.array(z.string()), []) })),
});

const errorSchema = z.object({ error: z.optional(z.string()), code: z.optional(z.string()) });

/**
 * Asks for a lesson plan. `key` names the request: asked again with the same key the server answers with the stored
 * result, or goes on waiting for the running one, and never charges twice (decisions.md D08).
 */
export async function generateLessonPlan(
  request: LessonPlanRequest,
  key: string,
  signal: AbortSignal,
): Promise<GenerationAnswer> {
  const response = await supabase.functions.invoke<unknown>('generate-lesson-plan', {
    body: { ...request },
    headers: { 'Idempotency-Key': key },
    signal,
  });
  const error: unknown = response.error;
  if (error instanceof FunctionsHttpError) return refusalOf(error);
  if (error instanceof FunctionsFetchError) return { kind: 'unreachable' };
  if (error) return { kind: 'refused', status: 0, code: 'unknown', message: undefined };
  return planOf(response.data);
}

async function refusalOf(error: FunctionsHttpError): Promise<GenerationAnswer> {
  const context: unknown = error.context;
  if (!(context instanceof Response)) {
    return { kind: 'refused', status: 0, code: 'unknown', message: undefined };
  }
  const body: unknown = await context.json().catch(() => null);
  const parsed = errorSchema.safeParse(body);
  const { error: message, code } = parsed.success ? parsed.data : {};
  return { kind: 'refused', status: context.status, code: code ?? 'unknown', message };
}

function planOf(data: unknown): GenerationAnswer {
  const parsed = responseSchema.safeParse(data);
  if (!parsed.success) return { kind: 'empty', missing: 'response' };
  const { docContent, lessonPlan, filename, data: document, meta } = parsed.data;
  if (!docContent || !isBase64(docContent)) return { kind: 'empty', missing: 'document' };
  return {
    kind: 'plan',
    plan: {
      docContent,
      text: lessonPlan ?? '',
      filename: filename ?? defaultFilename,
      document: parseDocument(document),
      warnings: meta?.warnings ?? [],
    },
  };
}

function isBase64(text: string): boolean {
  try {
    atob(text);
    return true;
  } catch {
    return false;
  }
}
