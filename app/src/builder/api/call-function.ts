import { readFunctionError } from '@/lib/function-error';
import { authorizationFor } from '@/lib/user-authorization';
import { supabase } from '@/lib/supabase';
import type { Answer, RequestBody, Tool } from '../tool';

interface FunctionCall {
  /** The user in whose name the function is called. */
  userId: string;
  request: RequestBody;
  /** The idempotency key of the request. */
  key: string;
  signal: AbortSignal;
}

/**
 * Calls a tool's function for a document. A repeated call with the same key gets the stored result
 * or waits for the running one, and is never charged twice (SPECIFICATION.md D08).
 */
export async function callFunction<Form, Content>(
  tool: Tool<Form, Content>,
  { userId, request, key, signal }: FunctionCall,
): Promise<Answer<Content>> {
  const authorization = await authorizationFor(userId);
  if (!authorization) return { kind: 'unreachable' };
  const response = await supabase.functions.invoke<unknown>(tool.functionName, {
    body: { ...request },
    headers: { 'Idempotency-Key': key, ...authorization },
    signal,
  });
  const error: unknown = response.error;
  if (error) return readFunctionError(error);
  const { read } = await tool.checks();
  return read(response.data);
}
