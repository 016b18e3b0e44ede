import { readRefusal, type Refusal } from '@/lib/function-refusal';
import { supabase } from '@/lib/supabase';
import type { MadeDocument, Tool } from '../tool';

/** What became of a mail: the queue took it, the function said no, or no answer arrived. */
export type MailOutcome = { kind: 'sent' } | Refusal | { kind: 'unreachable' };

/** Mails a finished document to the user's own address; equal ones within ten minutes are one mail. */
export async function sendDocument<Form, Content>(
  { mail }: Tool<Form, Content>,
  email: string,
  document: MadeDocument<Content>,
): Promise<MailOutcome> {
  const response = await supabase.functions.invoke<unknown>('send-generated-content', {
    body: {
      email,
      content: document.text,
      filename: document.filename,
      type: mail.type,
      [mail.field]: document.file.content,
    },
  });
  const error: unknown = response.error;
  return error ? readRefusal(error) : { kind: 'sent' };
}
