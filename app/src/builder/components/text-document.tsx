import type { ReactNode } from 'react';
import { cn } from '@/lib/utils';
import type { GeneratedDocument } from '../tool';
import { PaperSheet } from './paper-sheet';

/** A finished document as its text. */
export function TextDocument({ label, document }: { label: string; document: GeneratedDocument<unknown> }) {
  const lines = document.text.split('\n');
  const { headings } = document;
  // An empty line separates the chapters of the text, and the line below it is a heading.
  const isHeading = (index: number) =>
    headings !== undefined &&
    lines[index] !== '' &&
    (headings.includes(lines[index] ?? '') || (index > 0 && lines[index - 1] === ''));
  return (
    <PaperSheet label={label} lang={document.language}>
      {lines.map((line, index) =>
        isHeading(index) ? (
          <Heading key={index} text={line} first={index === 0} />
        ) : (
          <Line key={index} line={line} />
        ),
      )}
    </PaperSheet>
  );
}

/**
 * Lines for writing and cutting are as wide as the sheet on the screen, not as long as in the file.
 */
function Line({ line }: { line: string }) {
  if (/^_{20,}$/.test(line)) return <hr className="mt-6 mb-1.5 border-t border-paper-ink" />;
  if (/^✂[\s-]{20,}$/.test(line)) return <p className="my-3 border-b border-dashed border-paper-ink">✂</p>;
  // In the file, a tab at the start of a line aligns it to the right.
  if (line.startsWith('\t'))
    return <p className={cn(lineClasses, 'text-right')}>{line.replace(/^\t+/, '')}</p>;
  if (line.includes('\t')) return <Cells cells={line.split('\t')} />;
  return <p className={cn(lineClasses, marked.test(line) && 'pl-5 -indent-5')}>{withUnbrokenBlanks(line)}</p>;
}

const lineClasses = 'min-h-[1.5em] whitespace-pre-wrap [overflow-wrap:anywhere]';

/**
 * A number, a letter or a bullet before an item. Its further lines are indented below its words.
 */
const marked = /^(?:\d{1,2}\.|\([a-z]+\)|•) /;

function Heading({ text, first }: { text: string; first: boolean }) {
  return first ? (
    <h3 className="mb-1 text-center text-[1.25rem] leading-snug font-bold">{text}</h3>
  ) : (
    <h3 className="mt-3 mb-1 border-b border-paper-rule pb-0.5 text-lg font-bold">{text}</h3>
  );
}

/** One row of a table in the file. */
function Cells({ cells }: { cells: readonly string[] }) {
  return (
    <div className="grid auto-cols-fr grid-flow-col gap-x-5 py-0.5">
      {cells.map((cell, index) => (
        <p key={index} className={lineClasses}>
          {withUnbrokenBlanks(cell)}
        </p>
      ))}
    </div>
  );
}

/** A blank with the last two words of its label, which wrap together. */
const blanks = /((?:(?:[^\s_]+ )?[^\s_]+ )?_{3,})/;

/**
 * A blank is never broken. The part that does not fit on
 * the screen is hidden, because the file has it all.
 */
function withUnbrokenBlanks(line: string): ReactNode {
  return line.split(blanks).map((part, index) =>
    part.endsWith('___') ? (
      <span
        key={index}
        className="inline-block max-w-full overflow-hidden indent-0 align-bottom whitespace-nowrap"
      >
        {part}
      </span>
    ) : (
      part
    ),
  );
}
