import type { ReactNode } from 'react';
import type { LessonPlanDocument, PlanPeriod } from '../document-schema';
import { word } from '@/builder/document-words';
import { bloomName, type LessonWords } from '../lesson-words';
import type { PartName } from '../plan-parts';
import {
  bullet,
  Items,
  Labelled,
  Part,
  QuestionAnswer,
  SubPart,
  Table,
} from '@/builder/components/document-parts';

interface ContentProps {
  document: LessonPlanDocument;
  words: LessonWords;
}

/** The word for the heading of each part, and what stands below it. */
const parts: Readonly<Record<PartName, { heading: string; Content: (props: ContentProps) => ReactNode }>> = {
  outcomes: { heading: 'outcomes', Content: Outcomes },
  priorKnowledge: { heading: 'priorKnowledge', Content: PriorKnowledge },
  keyTerms: { heading: 'keyTerms', Content: KeyTerms },
  resources: { heading: 'resources', Content: Resources },
  periods: { heading: 'periodPlan', Content: Periods },
  misconceptions: { heading: 'misconceptions', Content: Misconceptions },
  differentiation: { heading: 'differentiation', Content: Differentiation },
  assessment: { heading: 'assessment', Content: Assessment },
  links: { heading: 'links', Content: Links },
  remedial: { heading: 'remedialAndEnrichment', Content: Remedial },
  safety: { heading: 'safety', Content: Safety },
};

interface PlanPartProps extends ContentProps {
  part: PartName;
  /** The name of the part in the sample. */
  title: string | undefined;
}

/** A part of a lesson plan under its heading. */
export function PlanPart({ part, title, ...content }: PlanPartProps) {
  const { heading, Content } = parts[part];
  return (
    <>
      <Part words={content.words} name={heading} title={title} />
      <Content {...content} />
    </>
  );
}

function Outcomes({ document, words }: ContentProps) {
  return (
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
  );
}

function PriorKnowledge({ document, words }: ContentProps) {
  return (
    <>
      <Items items={document.priorKnowledge.map((known) => bullet(known.text))} />
      <SubPart>{word(words, 'diagnostic')}</SubPart>
      <Items
        items={document.diagnostic.map((question, index) => ({
          marker: `${index + 1}.`,
          content: <QuestionAnswer words={words} {...question} />,
        }))}
      />
    </>
  );
}

function KeyTerms({ document }: ContentProps) {
  return (
    <Items
      items={document.keyTerms.map((entry) =>
        bullet(
          <>
            <strong>{entry.term}</strong> – {entry.meaning}
          </>,
        ),
      )}
    />
  );
}

function Resources({ document }: ContentProps) {
  return <Items items={document.resources.map((resource) => bullet(resource))} />;
}

function Periods({ document, words }: ContentProps) {
  return document.periods.map((period) => <Period key={period.no} period={period} words={words} />);
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

function Misconceptions({ document, words }: ContentProps) {
  return (
    <Table
      words={words}
      columns={['wrong', 'right']}
      widths={[50, 50]}
      rows={document.misconceptions.map((pair) => [pair.wrong, pair.right])}
    />
  );
}

function Differentiation({ document, words }: ContentProps) {
  return (
    <Table
      words={words}
      columns={['learners', 'task']}
      widths={[30, 70]}
      rows={[
        [word(words, 'support'), document.differentiation.support],
        [word(words, 'core'), document.differentiation.core],
        [word(words, 'extension'), document.differentiation.extension],
        [word(words, 'inclusive'), document.differentiation.inclusive],
      ]}
    />
  );
}

function Assessment({ document, words }: ContentProps) {
  return (
    <Table
      words={words}
      columns={['outcome', 'question', 'expectedAnswer', 'marks']}
      widths={[12, 40, 36, 12]}
      rows={document.assessment.map((item) => [item.outcomeId, item.q, item.a, `[${item.marks}]`])}
    />
  );
}

function Links({ document }: ContentProps) {
  return (
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
  );
}

function Remedial({ document, words }: ContentProps) {
  return (
    <>
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
    </>
  );
}

function Safety({ document }: ContentProps) {
  return <Items items={document.safety.map((rule) => bullet(rule))} />;
}
