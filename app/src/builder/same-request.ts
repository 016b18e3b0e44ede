import type { RequestBody, Tool } from './tool';

/** What one press asks for. */
export interface Filled<Form> {
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
export function documentIn(request: RequestBody): string {
  return JSON.stringify(request, (field, value: unknown) => (field === 'outputType' ? undefined : value));
}
