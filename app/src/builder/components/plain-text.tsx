import type { GeneratedDocument } from '../tool';

/** The text of a finished document, where what would set it could not be fetched. */
export function PlainText({ document }: { document: GeneratedDocument<unknown> }) {
  return (
    <p lang={document.language} className="whitespace-pre-wrap [overflow-wrap:anywhere]">
      {document.text}
    </p>
  );
}
