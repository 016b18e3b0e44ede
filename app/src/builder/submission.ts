import type { RequestBody, Tool } from './tool';

/** What one press submits. */
export interface Submission<Form> {
  form: Form;
  /** The name of the sample's object, empty without a sample. */
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

/**
 * Identifies the requested document, however it is delivered. Mailing a saved document does not
 * make it another document.
 */
export function documentKey(request: RequestBody): string {
  return JSON.stringify(request, (field, value: unknown) => (field === 'outputType' ? undefined : value));
}
