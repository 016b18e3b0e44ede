import { FunctionsHttpError } from '@supabase/supabase-js';
import { fieldOf, textOf } from './unknown-fields';

/**
 * A function refused the call. `message` is its sentence for the teacher (SPECIFICATION.md S-422).
 */
export interface FunctionError {
  kind: 'refused';
  status: number;
  code: string;
  message: string | undefined;
  /** The refused field of the request, if the function names one. */
  field: string | undefined;
  /** Seconds after which another try makes sense, if the function says so. */
  retryAfter: number | undefined;
}

/** Bad gateway, unavailable, gateway timeout. */
const gatewayStatuses = new Set([502, 503, 504]);

/** Reads the error of a function call: the answer of the function, or that none arrived. */
export async function readFunctionError(error: unknown): Promise<FunctionError | { kind: 'unreachable' }> {
  const context: unknown = error instanceof FunctionsHttpError ? error.context : undefined;
  // There was no answer, or it stopped in its middle.
  if (!(context instanceof Response)) return { kind: 'unreachable' };
  const body: unknown = await context.json().catch(() => null);
  const code = textOf(body, 'code');
  const message = textOf(body, 'error');
  // The answer of a proxy whose server is down does not count.
  const isFromFunction = code !== undefined || message !== undefined;
  if (!isFromFunction && gatewayStatuses.has(context.status)) return { kind: 'unreachable' };
  return {
    kind: 'refused',
    status: context.status,
    code: code ?? 'unknown',
    message,
    field: Object.keys(fieldOf(body, 'fields') ?? {})[0],
    retryAfter: Number(context.headers.get('Retry-After')) || undefined,
  };
}
