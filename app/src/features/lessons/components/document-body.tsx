import type { ReactNode } from 'react';
import type { LessonPlanDocument } from '../document-schema';
import { word } from '@/builder/document-words';
import type { LessonWords } from '../lesson-words';
import { Labelled, RuledLines, SubPart } from '@/builder/components/document-parts';
import { PlanPart } from './plan-part';
import { partsOf } from '../plan-parts';

interface DocumentProps {
  document: LessonPlanDocument;
  words: LessonWords;
}

const blank = '____________________';
const shortBlank = '__________';
/** Two dates share a row of the narrow heading. */
const dateBlank = '______';

/**
 * `lp/1` on paper, with the same text in the same order as the file (functions/SPECIFICATION.md
 * DOM-2.1, L1 to L13, or the order of a sample, GEN-5.3.6).
 */
export function DocumentBody({ document, words }: DocumentProps) {
  return (
    <>
      <h3 className="text-center text-xl leading-tight font-bold">{document.title}</h3>
      <p className="mt-1.5 text-center text-sm text-paper-muted italic">{document.label}</p>
      <HeaderTable document={document} words={words} />
      <Notes document={document} words={words} />
      {partsOf(document).map(({ part, title }) => (
        <PlanPart key={part} part={part} title={title} document={document} words={words} />
      ))}
      <Closing words={words} />
    </>
  );
}

function HeaderTable({ document, words }: DocumentProps) {
  const cell = (name: string, value: string) => (
    <Labelled words={words} name={name}>
      {value}
    </Labelled>
  );
  const cells: readonly ReactNode[] = [
    cell('school', blank),
    cell('teacher', blank),
    cell('board', document.board),
    cell('subject', document.subject),
    cell('class', String(document.class)),
    cell('section', shortBlank),
    cell('book', document.book),
    cell('publisher', document.publisher),
    cell('chapter', document.chapter),
    cell('periods', String(document.periods.length)),
    cell('minutesPerPeriod', String(document.periodMinutes)),
    <span className="flex flex-wrap gap-x-3">
      <span className="whitespace-nowrap">{cell('datesFrom', dateBlank)}</span>{' '}
      <span className="whitespace-nowrap">{cell('datesTo', dateBlank)}</span>
    </span>,
  ];
  return (
    <div className="mt-4 grid gap-x-5 gap-y-0.5 border-y border-paper-ink py-2.5 text-[0.9375rem] sm:grid-cols-2">
      {cells.map((content, index) => (
        <p key={index} className="min-w-0 [overflow-wrap:anywhere]">
          {content}
        </p>
      ))}
    </div>
  );
}

function Notes({ document, words }: DocumentProps) {
  if (document.notes.length === 0) return null;
  return (
    <div className="mt-4 space-y-1 border border-paper-ink px-3 py-2 text-[0.9375rem]">
      {document.notes.map((note) => (
        <p key={note}>
          <Labelled words={words} name="note">
            {note}
          </Labelled>
        </p>
      ))}
    </div>
  );
}

function Closing({ words }: { words: LessonWords }) {
  return (
    <>
      {['reflection', 'remarks'].map((name) => (
        <div key={name}>
          <SubPart>{word(words, name)}</SubPart>
          <RuledLines count={2} />
        </div>
      ))}
      <p className="mt-5">
        <Labelled words={words} name="signature">
          {blank}
        </Labelled>
      </p>
    </>
  );
}
