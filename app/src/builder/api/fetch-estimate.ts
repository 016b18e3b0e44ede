import * as z from 'zod/mini';
import { supabase } from '@/lib/supabase';
import type { RequestBody } from '../tool';

const metaSchema = z.object({
  generator: z.enum(['model', 'template']),
  language: z.string(),
  /** Why English stands in for the language that the chapter is written in. */
  standIn: z.optional(z.nullable(z.enum(['script', 'chapter']))),
  /** 0 to 1; null where a model writes. */
  coverage: z.nullable(z.number()),
  label: z.string(),
  /** What would be otherwise if the built-in generator stood in for a model; in the language that was asked for. */
  fallback: z.optional(z.nullable(z.string())),
  /** What the document will lack, or do otherwise than it was asked to. */
  warnings: z._default(z.array(z.string()), []),
});
const responseSchema = z.object({ meta: metaSchema });

/** How a document would be made: without a model, how much of it the built-in bank knows, and the sentence about it. */
export type Estimate = z.infer<typeof metaSchema>;

/** Asks how a document would be made, which makes and charges nothing. Null when it cannot be said now. */
export async function fetchEstimate(functionName: string, request: RequestBody): Promise<Estimate | null> {
  const response = await supabase.functions.invoke<unknown>(functionName, {
    body: { ...request, dryRun: true },
  });
  const parsed = responseSchema.safeParse(response.data);
  return parsed.success ? parsed.data.meta : null;
}
