import type { ReactNode } from 'react';
import { useElapsedSeconds } from '@/hooks/use-elapsed-seconds';
import { cn } from '@/lib/utils';

export interface BlankPart {
  title: string;
  /** At the right end of the line, as marks stand. */
  end?: string;
}

interface BlankPartsProps {
  parts: readonly BlankPart[];
  /** When the document is being written: since when (milliseconds); else null. */
  startedAt: number | null;
}

const secondsPerPart = 3;

/** The parts of a document with ruled blanks where its content will stand. */
export function BlankParts({ parts, startedAt }: BlankPartsProps) {
  if (startedAt === null) return <Parts parts={parts} writing={null} />;
  return <WritingParts parts={parts} startedAt={startedAt} />;
}

/** The pen moves on from part to part and stays under the last one until the document is there. */
function WritingParts({ parts, startedAt }: { parts: readonly BlankPart[]; startedAt: number }) {
  const seconds = useElapsedSeconds(startedAt);
  return <Parts parts={parts} writing={Math.floor(seconds / secondsPerPart)} />;
}

function Parts({ parts, writing }: { parts: readonly BlankPart[]; writing: number | null }) {
  const current = writing === null ? null : Math.min(writing, parts.length - 1);
  return (
    <ol>
      {parts.map(({ title, end }, index) => {
        const ahead = current !== null && index > current;
        return (
          <li key={title + String(index)} className="mt-4">
            <p className="flex justify-between gap-3 font-bold">
              <span className="relative inline-block">
                {title}
                {current === index ? (
                  <span
                    aria-hidden="true"
                    className="absolute inset-x-0 -bottom-0.5 h-0.5 origin-left animate-pen bg-[#c0392b]"
                  />
                ) : null}
              </span>
              {end ? <span className="shrink-0">{end}</span> : null}
            </p>
            <span
              aria-hidden="true"
              className={cn('mt-5 block border-b border-paper-rule', ahead && 'opacity-40')}
            />
            <span
              aria-hidden="true"
              className={cn('mt-6 block border-b border-paper-rule', ahead && 'opacity-40')}
            />
          </li>
        );
      })}
    </ol>
  );
}

interface BlankSheetProps {
  label: string;
  /** The language of the document. */
  lang: string;
  children: ReactNode;
}

/** The sheet of a preview. */
export function BlankSheet({ label, lang, children }: BlankSheetProps) {
  return (
    <section
      aria-label={label}
      lang={lang}
      className="rounded-paper bg-paper px-[22px] py-6 font-document text-[0.9375rem] text-paper-ink shadow-paper"
    >
      {children}
    </section>
  );
}
