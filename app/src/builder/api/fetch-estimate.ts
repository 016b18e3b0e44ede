import * as z from 'zod/mini';
import { readFunctionError } from '@/lib/function-error';
import { supabase } from '@/lib/supabase';
import { hasSample, isSampleRefusal, tooComplex } from '../sample-refusals';
import type { RequestBody } from '../tool';

const metaSchema = z.object({
  generator: z.enum(['model', 'template']),
  language: z.string(),
  /** Why the document is in English although the chapter is written in another language. */
  standIn: z.optional(z.nullable(z.enum(['script', 'chapter']))),
  /** 0 to 1. It is null if a model writes the document. */
  coverage: z.nullable(z.number()),
  label: z.string(),
  /** What would differ if the built-in generator replaced the model, in the requested language. */
  fallback: z.optional(z.nullable(z.string())),
  /** What the document will lack, or do otherwise than requested. */
  warnings: z._default(z.array(z.string()), []),
});
const sampleSchema = z.object({
  /** The headings or names of the sample that the document takes over. */
  followed: z._default(z.array(z.string()), []),
  /** What the document does not take from the sample, and why. */
  warning: z.optional(z.nullable(z.string())),
});
const responseSchema = z.object({ meta: metaSchema, sample: z.optional(z.nullable(sampleSchema)) });

/** The host ended the function, since it used up its time or memory. */
const resourceLimitStatus = 546;

/** Another estimate of this user reads its sample. */
const busyStatus = 503;

/** How a document would be generated: by a model, or with how much text of the built-in bank. */
export type Estimate = z.infer<typeof metaSchema> & { sample?: SampleReading | undefined };

/** What becomes of the sample. */
export type SampleReading = z.infer<typeof sampleSchema>;

/** The function cannot use the sample. Its code says why. */
export interface SampleRefusal {
  refusedSample: string;
}

/**
 * Asks how a document would be generated. This generates
 * and charges nothing. Null if there is no answer now.
 *
 * @throws if another sample of this user is being read.
 */
export async function fetchEstimate(
  functionName: string,
  request: RequestBody,
): Promise<Estimate | SampleRefusal | null> {
  const response = await supabase.functions.invoke<unknown>(functionName, {
    body: { ...request, dryRun: true },
  });
  const error: unknown = response.error;
  const refused = error ? await readFunctionError(error) : null;
  if (refused?.kind === 'refused' && isSampleRefusal(refused.code)) return { refusedSample: refused.code };
  if (refused?.kind === 'refused' && refused.status === resourceLimitStatus && hasSample(request))
    return { refusedSample: tooComplex };
  // The query asks again.
  if (refused?.kind === 'refused' && refused.status === busyStatus && hasSample(request))
    throw new Error('another sample is being read');
  const parsed = responseSchema.safeParse(response.data);
  if (!parsed.success) return null;
  const { meta, sample } = parsed.data;
  return sample ? { ...meta, sample } : meta;
}
