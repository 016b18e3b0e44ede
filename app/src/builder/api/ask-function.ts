import { readRefusal } from '@/lib/function-refusal';
import { supabase } from '@/lib/supabase';
import type { Answer, RequestBody, Tool } from '../tool';

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
  if (error) return readRefusal(error);
  const { read } = await tool.checks();
  return read(response.data);
}
