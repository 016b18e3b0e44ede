import type { GeneratedDocument } from '../tool';

/** The text of a finished document, used if the code that lays it out failed to load. */
export function PlainText({ document }: { document: GeneratedDocument<unknown> }) {
  return (
    <p lang={document.language} className="whitespace-pre-wrap [overflow-wrap:anywhere]">
      {document.text}
    </p>
  );
}
