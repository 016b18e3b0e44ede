import type { RequestBody, Tool } from './tool';

/** What one press asks for. */
export interface Submission<Form> {
  form: Form;
  sample: string;
}

/** Whether two forms of a tool, with their samples, ask for the same document. */
export function isSameSubmission<Form, Content>(
  { requestOf }: Tool<Form, Content>,
  one: Submission<Form>,
  other: Submission<Form>,
): boolean {
  return documentKey(requestOf(one.form, one.sample)) === documentKey(requestOf(other.form, other.sample));
}

/** What is asked for, however it is delivered: mailing a document that was saved is not another document. */
export function documentKey(request: RequestBody): string {
  return JSON.stringify(request, (field, value: unknown) => (field === 'outputType' ? undefined : value));
}
