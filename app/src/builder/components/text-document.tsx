import type { MadeDocument } from '../tool';
import { PaperSheet } from './paper-sheet';

/** A finished document as its text. */
export function TextDocument({ label, document }: { label: string; document: MadeDocument<unknown> }) {
  return (
    <PaperSheet label={label} lang={undefined}>
      <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">{document.text}</p>
    </PaperSheet>
  );
}
