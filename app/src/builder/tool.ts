import type * as z from 'zod/mini';
import type { FunctionError } from '@/lib/function-error';
import type { MessageKey } from '@/lib/i18n';
import type { fetchEstimate } from './api/fetch-estimate';
import type { generationRuntime } from './generation-runtime';

/**
 * The file of a document: base64, or the text itself
 * if the server sent that (SPECIFICATION.md S-229).
 */
interface DocumentFile {
  content: string;
  encoding: 'base64' | 'text';
  type: string;
}

/**
 * A finished document of any tool: its file, its plain
 * text, and its structure if the answer has one.
 */
export interface GeneratedDocument<Content> {
  file: DocumentFile;
  text: string;
  /** The lines of the text that are headings. The first is the heading of the document. */
  headings?: readonly string[];
  filename: string;
  content: Content | null;
  warnings: readonly string[];
  /** ISO 639-1, if the answer has it. */
  language?: string | undefined;
}

/** The answer of a function. */
export type Answer<Content> =
  | { kind: 'done'; document: GeneratedDocument<Content> }
  | (Pick<FunctionError, 'kind' | 'status' | 'code' | 'message'> & { field?: string | undefined })
  /** The function reported success without a document. */
  | { kind: 'empty'; missing: 'response' | 'document' }
  /** No answer arrived. The generation may still be running. */
  | { kind: 'unreachable' };

export type FailedAnswer = Exclude<Answer<never>, { kind: 'done' }>;

/** True if the server has no such function. Then nobody has touched the charge. */
export function isMissingFunction(answer: Answer<unknown>): boolean {
  return answer.kind === 'refused' && answer.status === 404;
}

/** A JSON body with the numbers and lists of the function's contract. */
export type RequestBody = Readonly<Record<string, string | number | readonly string[]>>;

export interface ToastKeys {
  title: MessageKey;
  description?: MessageKey;
}

/** The texts of a tool's builder, in which the screens differ. */
export interface ToolTexts {
  /** The finished document was saved. */
  generated: ToastKeys;
  /** The finished document was mailed. */
  sent: ToastKeys;
  /** Title of the toast after a failure. `detail` is used if the server sent no sentence. */
  failed: { title: MessageKey; detail?: MessageKey };
  /** The server refused the content of one field. The message stands beside that field. */
  improper?: MessageKey;
  /** The function reported success without a document. */
  noDocument: MessageKey;
  /** The form is not complete. */
  incomplete: ToastKeys;
  /** The session is over. Without this text nothing is shown. */
  signedOut?: ToastKeys;
}

/** The part of a tool that loads on demand: its schema, its reader and its runtime. */
export interface Checks<Form, Content> {
  form: z.ZodMiniType<Form>;
  /** Reads the body of a successful answer. */
  read: (body: unknown) => Answer<Content>;
  /** Fetches an estimate. It is part of the checks, so that nobody can pay without one. */
  estimate: typeof fetchEstimate;
  runtime: typeof generationRuntime;
}

/** A tool, as the shared parts of all builders know it. */
export interface Tool<Form, Content> {
  /** The name of the function, which also names the data stored on the device. */
  functionName: string;
  /** The initial form. */
  empty: Form;
  /** The labels of its required fields. */
  labels: Readonly<Partial<Record<keyof Form, MessageKey>>>;
  /** Builds the body of the call. `sample` is the name of a sample's object, empty without one. */
  requestOf: (form: Form, sample: string) => RequestBody;
  /** Loads the checks. A form can be shown and filled in without them. */
  checks: () => Promise<Checks<Form, Content>>;
  /** The fields with which the mail function gets the document (SPECIFICATION.md S-390). */
  mail: { type: string; field: 'documentContent' | 'wordContent' };
  texts: ToolTexts;
}

export function isBase64(text: string): boolean {
  try {
    atob(text);
    return true;
  } catch {
    return false;
  }
}
