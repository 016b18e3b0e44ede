import { supabase } from '@/lib/supabase';
import type { MadeDocument, Tool } from '../tool';

/** Mails a finished document to the user's own address. Says whether the server took it. */
export async function sendDocument<Form, Content>(
  { mail }: Tool<Form, Content>,
  email: string,
  document: MadeDocument<Content>,
): Promise<boolean> {
  const response = await supabase.functions.invoke<unknown>('send-generated-content', {
    body: {
      email,
      content: document.text,
      filename: document.filename,
      type: mail.type,
      [mail.field]: document.file.content,
    },
  });
  return response.error === null;
}
