import type { ReactNode } from 'react';
import type { LessonPlanDocument, PlanPeriod } from '../document-schema';
import { word } from '@/builder/document-words';
import { bloomName, type LessonWords } from '../lesson-words';
import {
  bullet,
  Items,
  Labelled,
  Part,
  QuestionAnswer,
  RuledLines,
  SubPart,
  Table,
} from '@/builder/components/document-parts';

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
 * DOM-2.1, L1 to L13).
 */
export function DocumentBody({ document, words }: DocumentProps) {
  return (
    <>
      <h3 className="text-center text-xl leading-tight font-bold">{document.title}</h3>
      <p className="mt-1.5 text-center text-sm text-paper-muted italic">{document.label}</p>
      <HeaderTable document={document} words={words} />
      <Notes document={document} words={words} />
      <BeforeTheLesson document={document} words={words} />
      <Part words={words} name="periodPlan" />
      {document.periods.map((period) => (
        <Period key={period.no} period={period} words={words} />
      ))}
      <AfterTheLesson document={document} words={words} />
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

function BeforeTheLesson({ document, words }: DocumentProps) {
  return (
    <>
      <Part words={words} name="outcomes" />
      <Items
        items={document.outcomes.map((outcome) => ({
          marker: `${outcome.id}.`,
          content: (
            <>
              {outcome.text} <em>({bloomName(words, outcome.bloom)})</em>
            </>
          ),
        }))}
      />
      <Part words={words} name="priorKnowledge" />
      <Items items={document.priorKnowledge.map((known) => bullet(known.text))} />
      <SubPart>{word(words, 'diagnostic')}</SubPart>
      <Items
        items={document.diagnostic.map((question, index) => ({
          marker: `${index + 1}.`,
          content: <QuestionAnswer words={words} {...question} />,
        }))}
      />
      <Part words={words} name="keyTerms" />
      <Items
        items={document.keyTerms.map((entry) =>
          bullet(
            <>
              <strong>{entry.term}</strong> – {entry.meaning}
            </>,
          ),
        )}
      />
      <Part words={words} name="resources" />
      <Items items={document.resources.map((resource) => bullet(resource))} />
    </>
  );
}

function Period({ period, words }: { period: PlanPeriod; words: LessonWords }) {
  const questions = period.phases.flatMap((phase) =>
    phase.questions.map((question) => ({ phase: phase.name, ...question })),
  );
  const boardWork = period.phases.map((phase) => phase.board).filter(Boolean);
  return (
    <>
      <SubPart>{word(words, 'period', { no: String(period.no), subtopic: period.subtopic })}</SubPart>
      <p className="mt-1">
        <Labelled words={words} name="outcomesOfPeriod">
          {period.outcomeIds.join(', ')}
        </Labelled>
      </p>
      <Table
        words={words}
        columns={['phase', 'teacherMoves', 'pupilMoves']}
        widths={[17, 45, 38]}
        rows={period.phases.map((phase) => [
          <>
            <strong>{phase.name}</strong> ({word(words, 'minutes', { minutes: String(phase.minutes) })})
          </>,
          phase.teacher,
          phase.pupils,
        ])}
      />
      {questions.length > 0 ? <p className="mt-2 font-bold">{word(words, 'questions')}</p> : null}
      <Items
        items={questions.map((question) =>
          bullet(
            <>
              <strong>{question.phase}: </strong>
              <QuestionAnswer words={words} q={question.q} a={question.a} />
            </>,
          ),
        )}
      />
      {boardWork.length > 0 ? (
        <p className="mt-1.5">
          <Labelled words={words} name="boardWork">
            {boardWork.join(' | ')}
          </Labelled>
        </p>
      ) : null}
      <p className="mt-1.5">
        <Labelled words={words} name="check">
          <QuestionAnswer words={words} {...period.check} />
        </Labelled>
      </p>
      <p className="mt-1.5">
        <Labelled words={words} name="homework">
          {period.homework}
        </Labelled>
      </p>
    </>
  );
}

function AfterTheLesson({ document, words }: DocumentProps) {
  const tasks = document.differentiation;
  return (
    <>
      <Part words={words} name="misconceptions" />
      <Table
        words={words}
        columns={['wrong', 'right']}
        widths={[50, 50]}
        rows={document.misconceptions.map((pair) => [pair.wrong, pair.right])}
      />
      <Part words={words} name="differentiation" />
      <Table
        words={words}
        columns={['learners', 'task']}
        widths={[30, 70]}
        rows={[
          [word(words, 'support'), tasks.support],
          [word(words, 'core'), tasks.core],
          [word(words, 'extension'), tasks.extension],
          [word(words, 'inclusive'), tasks.inclusive],
        ]}
      />
      <Part words={words} name="assessment" />
      <Table
        words={words}
        columns={['outcome', 'question', 'expectedAnswer', 'marks']}
        widths={[12, 40, 36, 12]}
        rows={document.assessment.map((item) => [item.outcomeId, item.q, item.a, `[${item.marks}]`])}
      />
      <Part words={words} name="links" />
      <Items
        items={document.links.map((link) =>
          bullet(
            <>
              <strong>{link.kind}: </strong>
              {link.text}
            </>,
          ),
        )}
      />
      <Part words={words} name="remedialAndEnrichment" />
      <p className="mt-1.5">
        <Labelled words={words} name="remedial">
          {document.remedial}
        </Labelled>
      </p>
      <p className="mt-1.5">
        <Labelled words={words} name="enrichment">
          {document.enrichment}
        </Labelled>
      </p>
      {document.safety.length > 0 ? (
        <>
          <Part words={words} name="safety" />
          <Items items={document.safety.map((rule) => bullet(rule))} />
        </>
      ) : null}
    </>
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
