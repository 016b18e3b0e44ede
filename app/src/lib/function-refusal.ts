import { FunctionsFetchError, FunctionsHttpError } from '@supabase/supabase-js';

/** A function said no; `message` is its sentence for the teacher (screens.md S-422). */
export interface Refusal {
  kind: 'refused';
  /** 0 where the answer could not be read. */
  status: number;
  code: string;
  message: string | undefined;
  /** Seconds after which another try makes sense, where the function says so. */
  retryAfter: number | undefined;
}

/** Reads the error of a call to a function: what it says, or that no answer arrived. */
export async function readRefusal(error: unknown): Promise<Refusal | { kind: 'unreachable' }> {
  if (error instanceof FunctionsFetchError) return { kind: 'unreachable' };
  const context: unknown = error instanceof FunctionsHttpError ? error.context : undefined;
  if (!(context instanceof Response)) {
    return { kind: 'refused', status: 0, code: 'unknown', message: undefined, retryAfter: undefined };
  }
  const body: unknown = await context.json().catch(() => null);
  return {
    kind: 'refused',
    status: context.status,
    code: textIn(body, 'code') ?? 'unknown',
    message: textIn(body, 'error'),
    retryAfter: Number(context.headers.get('Retry-After')) || undefined,
  };
}

function textIn(body: unknown, name: string): string | undefined {
  const text: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
  return typeof text === 'string' ? text : undefined;
}
