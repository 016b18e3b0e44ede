import { readFunctionError } from '@/lib/function-error';
import { authorizationFor } from '@/lib/user-authorization';
import { supabase } from '@/lib/supabase';
import type { Answer, RequestBody, Tool } from '../tool';

interface FunctionCall {
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
