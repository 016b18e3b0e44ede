import { readRefusal } from '@/lib/function-refusal';
import { authorizationOf } from '@/lib/own-token';
import { supabase } from '@/lib/supabase';
import type { Answer, RequestBody, Tool } from '../tool';

interface Question {
  /** In whose name it is asked. */
  userId: string;
  request: RequestBody;
  /** Names the request. */
  key: string;
  signal: AbortSignal;
}

/**
 * Asks a tool's function for a document. Asked again with the same key the server answers with the stored result, or
 * goes on waiting for the running one, and never charges twice (SPECIFICATION.md D08).
 */
export async function askFunction<Form, Content>(
  tool: Tool<Form, Content>,
  { userId, request, key, signal }: Question,
): Promise<Answer<Content>> {
  const authorization = await authorizationOf(userId);
  if (!authorization) return { kind: 'unreachable' };
  const response = await supabase.functions.invoke<unknown>(tool.functionName, {
    body: { ...request },
    headers: { 'Idempotency-Key': key, ...authorization },
    signal,
  });
  const error: unknown = response.error;
  if (error) return readRefusal(error);
  const { read } = await tool.checks();
  return read(response.data);
}
