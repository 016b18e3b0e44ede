import { readFunctionError, type FunctionError } from '@/lib/function-error';
import { authorizationFor } from '@/lib/user-authorization';
import type { SessionUser } from '@/lib/session';
import { supabase } from '@/lib/supabase';
import type { GeneratedDocument, Tool } from '../tool';

/** The outcome of a mail: it was queued, the function refused it, or no answer arrived. */
export type MailOutcome = { kind: 'sent' } | FunctionError | { kind: 'unreachable' };

/**
 * Mails a finished document to the address of its own
 * user. Equal mails within ten minutes count as one.
 */
export async function sendDocument<Form, Content>(
  { mail }: Tool<Form, Content>,
  { id, email }: SessionUser,
  document: GeneratedDocument<Content>,
): Promise<MailOutcome> {
  const headers = await authorizationFor(id);
  if (!headers) return { kind: 'unreachable' };
  const response = await supabase.functions.invoke<unknown>('send-generated-content', {
    headers,
    body: {
      email,
      content: document.text,
      filename: document.filename,
      type: mail.type,
      [mail.field]: document.file.content,
    },
  });
  const error: unknown = response.error;
  return error ? readFunctionError(error) : { kind: 'sent' };
}
