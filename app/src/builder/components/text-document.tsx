import { cn } from '@/lib/utils';
import type { MadeDocument } from '../tool';
import { PaperSheet } from './paper-sheet';

/** A finished document as its text. */
export function TextDocument({ label, document }: { label: string; document: MadeDocument<unknown> }) {
  return (
    <PaperSheet label={label} lang={undefined}>
      {document.text.split('\n').map((line, index) => (
        <Line key={index} line={line} />
      ))}
    </PaperSheet>
  );
}

/** Lines to write on, and to cut along, are as wide as the sheet on the screen, not as long as they are in the file. */
function Line({ line }: { line: string }) {
  if (/^_{20,}$/.test(line)) return <hr className="mt-6 mb-1.5 border-t border-paper-ink" />;
  if (/^✂[\s-]{20,}$/.test(line)) return <p className="my-3 border-b border-dashed border-paper-ink">✂</p>;
  // A tab at the head of a line sets it at the right in the file.
  const atTheRight = line.startsWith('\t');
  return (
    <p
      className={cn('min-h-[1.5em] whitespace-pre-wrap [overflow-wrap:anywhere]', atTheRight && 'text-right')}
    >
      {withItsBlank(line.replace(/^\t+/, '')).replaceAll('\t', '\u2003')}
    </p>
  );
}

/** A label's last two words go to the next line together with the blank that they name. */
function withItsBlank(line: string): string {
  return line.replace(/(?:[^\s_]+ )?[^\s_]+ (?=_{3,})/g, (label) => label.replaceAll(' ', '\u00a0'));
}
