import { FunctionsHttpError } from '@supabase/supabase-js';
import { textOf } from './unknown-fields';

/** A function said no; `message` is its sentence for the teacher (SPECIFICATION.md S-422). */
export interface FunctionError {
  kind: 'refused';
  status: number;
  code: string;
  message: string | undefined;
  /** Seconds after which another try makes sense, where the function says so. */
  retryAfter: number | undefined;
}

/** Bad gateway, unavailable, gateway timeout. */
const proxies = new Set([502, 503, 504]);

/** Reads the error of a call to a function: what it says, or that no answer arrived. */
export async function readFunctionError(error: unknown): Promise<FunctionError | { kind: 'unreachable' }> {
  const context: unknown = error instanceof FunctionsHttpError ? error.context : undefined;
  // Without an answer, or with one that stopped in its middle.
  if (!(context instanceof Response)) return { kind: 'unreachable' };
  const body: unknown = await context.json().catch(() => null);
  const code = textOf(body, 'code');
  const message = textOf(body, 'error');
  // A proxy's answer while the server behind it is away is none.
  const isFromFunction = code !== undefined || message !== undefined;
  if (!isFromFunction && proxies.has(context.status)) return { kind: 'unreachable' };
  return {
    kind: 'refused',
    status: context.status,
    code: code ?? 'unknown',
    message,
    retryAfter: Number(context.headers.get('Retry-After')) || undefined,
  };
}
