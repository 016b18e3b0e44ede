import type { ReactNode } from 'react';
import { useElapsedSeconds } from '@/hooks/use-elapsed-seconds';
import { useI18n } from '@/lib/i18n';
import { cn } from '@/lib/utils';
import type { Blanks } from '../use-blank-words';

export interface BlankPart {
  title: string;
  /** Text at the right end of the line, such as marks. */
  end?: string;
}

type BlankPartsProps = Pick<BlankSheetProps, 'parts' | 'startedAt'>;

const secondsPerPart = 3;

/** The parts of a document with ruled blanks in place of their content. */
function BlankParts({ parts, startedAt }: BlankPartsProps) {
  if (startedAt === null) return <Parts parts={parts} writing={null} />;
  return <WritingParts parts={parts} startedAt={startedAt} />;
}

/** The pen moves from part to part and stays under the last one until the document is there. */
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
  /** The values of the form so far. */
  values: { subject: string; grade: string; chapterName: string };
  /** The language of the document, as ISO 639-1. */
  language: string;
  blanks: Blanks;
  parts: readonly BlankPart[];
  /** When the generation started, in milliseconds, or null. */
  startedAt: number | null;
  /** Lines of the heading below the chapter. */
  children?: ReactNode;
}

/** A blank document about a chapter: the heading, and ruled blanks in place of the content. */
export function BlankSheet({ values, language, blanks, parts, startedAt, children }: BlankSheetProps) {
  const { t } = useI18n();
  const { say, subject, grade } = blanks;
  return (
    <section
      aria-label={t('builder.preview')}
      lang={language}
      className="rounded-paper bg-paper px-[22px] py-6 font-document text-[0.9375rem] text-paper-ink shadow-paper"
    >
      <div className="border-b border-paper-ink pb-2.5 text-sm">
        <h2 className="text-center text-[1.0625rem] leading-snug font-bold">
          {subject(values.subject) || say('subject', 'builder.subject')} ·{' '}
          {grade(values.grade) || say('class', 'builder.class')}
        </h2>
        <p className="text-center">
          {say('chapter', 'document.chapter')}: {values.chapterName.trim() || '__________'}
        </p>
        {children}
      </div>
      <BlankParts parts={parts} startedAt={startedAt} />
    </section>
  );
}

interface BookLineProps {
  values: { board: string; book: string; publisher: string };
  blanks: Blanks;
}

/** The board, and the book with its publisher. */
export function BookLine({ values, blanks: { say } }: BookLineProps) {
  return (
    <p className="mt-1 flex justify-between gap-4">
      <span className="max-w-[60%] shrink-0">{values.board.trim() || say('board', 'builder.board')}</span>
      <span className="min-w-0 text-right">
        {values.book.trim() || say('book', 'builder.book')} (
        {values.publisher.trim() || say('publisher', 'builder.publisher')})
      </span>
    </p>
  );
}
