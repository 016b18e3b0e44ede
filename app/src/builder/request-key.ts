import type { RequestBody, Tool } from './tool';

/**
 * The key of a request: the same for an unchanged form, so that pressing again within ten minutes, in this tab or in
 * another one, hands out the stored document and the fresh charge goes back (decisions.md D08).
 */
export async function requestKey(request: RequestBody): Promise<string> {
  const text = new TextEncoder().encode(documentIn(request));
  const digest = await crypto.subtle.digest('SHA-256', text);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

interface Filled<Form> {
  form: Form;
  sample: string;
}

/** Whether two forms of a tool, with their samples, ask for the same document. */
export function isSameRequest<Form, Content>(
  { requestOf }: Tool<Form, Content>,
  one: Filled<Form>,
  other: Filled<Form>,
): boolean {
  return documentIn(requestOf(one.form, one.sample)) === documentIn(requestOf(other.form, other.sample));
}

/** What is asked for, however it is delivered: mailing a document that was saved is not another document. */
function documentIn(request: RequestBody): string {
  return JSON.stringify(request, (field, value: unknown) => (field === 'outputType' ? undefined : value));
}
