import type * as z from 'zod/mini';
import type { FunctionError } from '@/lib/function-error';
import type { MessageKey } from '@/lib/i18n';
import type { fetchEstimate } from './api/fetch-estimate';
import type { generationRuntime } from './generation-runtime';

/** The file of a document: base64, or the text itself where the server sent that (SPECIFICATION.md S-229). */
interface DocumentFile {
  content: string;
  encoding: 'base64' | 'text';
  type: string;
}

/** A finished document of any tool: its file, its plain text, and its structure where the answer carries one. */
export interface GeneratedDocument<Content> {
  file: DocumentFile;
  text: string;
  /** Which lines of the text are headings; the first is the document's own. */
  headings?: readonly string[];
  filename: string;
  content: Content | null;
  warnings: readonly string[];
  /** ISO 639-1, where the answer says it. */
  language?: string | undefined;
}

/** What a function answered. */
export type Answer<Content> =
  | { kind: 'done'; document: GeneratedDocument<Content> }
  | Pick<FunctionError, 'kind' | 'status' | 'code' | 'message'>
  /** Success was answered, but without a document. */
  | { kind: 'empty'; missing: 'response' | 'document' }
  /** No answer arrived: the generation may be running all the same. */
  | { kind: 'unreachable' };

export type FailedAnswer = Exclude<Answer<never>, { kind: 'done' }>;

/** True when the server has no such function: nobody has touched the charge. */
export function isAbsent(answer: Answer<unknown>): boolean {
  return answer.kind === 'refused' && answer.status === 404;
}

/** A JSON body; numbers and lists as the function's contract has them. */
export type RequestBody = Readonly<Record<string, string | number | readonly string[]>>;

export interface ToastKeys {
  title: MessageKey;
  description?: MessageKey;
}

/** What the builder of a tool says, and where its screens differ in it. */
export interface ToolTexts {
  /** The finished document was saved. */
  generated: ToastKeys;
  /** The finished document was mailed. */
  sent: ToastKeys;
  /** Title of the toast after a failure; `detail` stands in where the server gave no sentence. */
  failed: { title: MessageKey; detail?: MessageKey };
  /** Success was answered without a document. */
  noDocument: MessageKey;
  /** The form is not complete. */
  incomplete: ToastKeys;
  /** The server no longer knows who is signed in; nothing is said without it. */
  signedOut?: ToastKeys;
}

/** What a tool takes and what it gives. */
export interface Checks<Form, Content> {
  form: z.ZodMiniType<Form>;
  /** Reads the body of a successful answer. */
  read: (body: unknown) => Answer<Content>;
  /** Asks what a document would be; here, so that nobody can pay who could not be told. */
  estimate: typeof fetchEstimate;
  generationRuntime: typeof generationRuntime;
}

/** One of the tools, as the parts that all builders share know it. */
export interface Tool<Form, Content> {
  /** Names what is kept on the device, and is the function's address. */
  functionName: string;
  /** The form as it begins. */
  empty: Form;
  /** What its required fields are called on the screen. */
  labels: Readonly<Partial<Record<keyof Form, MessageKey>>>;
  /** The body of the call; `sample` is the marker of a picked sample, empty without one. */
  requestOf: (form: Form, sample: string) => RequestBody;
  /** Fetches the checks, which a form can be shown and filled in without. */
  checks: () => Promise<Checks<Form, Content>>;
  /** How the mail function is told about the document (SPECIFICATION.md S-390). */
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
