import { FunctionsFetchError, FunctionsHttpError } from '@supabase/supabase-js';
import * as z from 'zod/mini';
import { supabase } from '@/lib/supabase';
import type { Answer, RequestBody, Tool } from '../tool';

const errorSchema = z.object({ error: z.optional(z.string()), code: z.optional(z.string()) });

/**
 * Asks a tool's function for a document. `key` names the request: asked again with the same key the server answers
 * with the stored result, or goes on waiting for the running one, and never charges twice (decisions.md D08).
 */
export async function askFunction<Form, Content>(
  tool: Tool<Form, Content>,
  request: RequestBody,
  key: string,
  signal: AbortSignal,
): Promise<Answer<Content>> {
  const response = await supabase.functions.invoke<unknown>(tool.functionName, {
    body: { ...request },
    headers: { 'Idempotency-Key': key },
    signal,
  });
  const error: unknown = response.error;
  if (error instanceof FunctionsHttpError) return refusalOf(error);
  if (error instanceof FunctionsFetchError) return { kind: 'unreachable' };
  if (error) return { kind: 'refused', status: 0, code: 'unknown', message: undefined };
  return tool.read(response.data);
}

async function refusalOf(error: FunctionsHttpError): Promise<Answer<never>> {
  const context: unknown = error.context;
  if (!(context instanceof Response)) {
    return { kind: 'refused', status: 0, code: 'unknown', message: undefined };
  }
  const body: unknown = await context.json().catch(() => null);
  const parsed = errorSchema.safeParse(body);
  const { error: message, code } = parsed.success ? parsed.data : {};
  return { kind: 'refused', status: context.status, code: code ?? 'unknown', message };
}
