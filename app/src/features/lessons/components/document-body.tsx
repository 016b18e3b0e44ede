import type { ReactNode } from 'react';
import type { LessonPlanDocument, PlanPeriod } from '../document-schema';
import { wordsOf, type DocumentWords } from '../document-words';

/** The sections of `lp/1` in the order of the file; empty ones are left out, as there. */
export function DocumentBody({ document }: { document: LessonPlanDocument }) {
  const words = wordsOf(document.language);
  return (
    <>
      <Heading document={document} words={words} />
      <Section title={words.outcomes} items={document.outcomes}>
        {(outcome) => (
          <>
            {outcome.text} {outcome.bloom ? <em>({outcome.bloom})</em> : null}
          </>
        )}
      </Section>
      <Section title={words.priorKnowledge} items={document.priorKnowledge}>
        {(known) => known.text}
      </Section>
      <Section title={words.diagnostic} items={document.diagnostic}>
        {(question) => <Question {...question} words={words} />}
      </Section>
      <Section title={words.keyTerms} items={document.keyTerms}>
        {(entry) => (
          <>
            <strong>{entry.term}</strong>: {entry.meaning}
          </>
        )}
      </Section>
      <Section title={words.resources} items={document.resources}>
        {(resource) => resource}
      </Section>
      {document.periods.map((period) => (
        <Period key={period.no} period={period} words={words} />
      ))}
      <Section title={words.misconceptions} items={document.misconceptions}>
        {(pair) => (
          <>
            <strong>{words.wrong}:</strong> {pair.wrong} <strong>{words.right}:</strong> {pair.right}
          </>
        )}
      </Section>
      <Differentiation rows={document.differentiation} words={words} />
      <Section title={words.assessment} items={document.assessment}>
        {(item) => (
          <span className="flex gap-4">
            <span className="flex-1">
              <Question q={item.q} a={item.a} words={words} />
            </span>
            <span className="tabular-nums">[{item.marks}]</span>
          </span>
        )}
      </Section>
      <Section title={words.links} items={document.links}>
        {(link) => (link.kind ? `${link.kind}: ${link.text}` : link.text)}
      </Section>
      <Text title={words.remedial} text={document.remedial} />
      <Text title={words.enrichment} text={document.enrichment} />
      <Section title={words.safety} items={document.safety}>
        {(rule) => rule}
      </Section>
    </>
  );
}

interface PartProps {
  document: LessonPlanDocument;
  words: DocumentWords;
}

function Heading({ document, words }: PartProps) {
  const facts = [
    [words.board, document.board],
    [words.class, String(document.class)],
    [words.subject, document.subject],
    [words.chapter, document.chapter],
    [words.book, document.book],
    [words.publisher, document.publisher],
    [words.periods, String(document.periods.length)],
    [words.periodMinutes, String(document.periodMinutes)],
  ].filter(([, value]) => value !== '');
  return (
    <>
      <h3 className="text-center text-xl leading-tight font-bold">{document.title}</h3>
      {document.label ? (
        <p className="mt-1.5 text-center text-sm text-paper-muted italic">{document.label}</p>
      ) : null}
      <dl className="mt-4 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 border-y border-paper-ink py-2.5 text-sm sm:grid-cols-[auto_minmax(0,1fr)_auto_minmax(0,1fr)]">
        {facts.map(([term, value]) => (
          <div key={term} className="contents">
            <dt className="font-bold">{term}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

interface SectionProps<Item> {
  title: string;
  items: readonly Item[];
  children: (item: Item) => ReactNode;
}

function Section<Item>({ title, items, children }: SectionProps<Item>) {
  if (items.length === 0) return null;
  return (
    <>
      <h4 className="mt-5 text-[1.0625rem] font-bold">{title}</h4>
      <ul className="mt-1 list-disc space-y-1 pl-5">
        {items.map((item, index) => (
          <li key={index}>{children(item)}</li>
        ))}
      </ul>
    </>
  );
}

function Text({ title, text }: { title: string; text: string }) {
  if (text === '') return null;
  return (
    <>
      <h4 className="mt-5 text-[1.0625rem] font-bold">{title}</h4>
      <p className="mt-1">{text}</p>
    </>
  );
}

function Question({ q, a, words }: { q: string; a: string; words: DocumentWords }) {
  return (
    <>
      {q} {a ? <em>{`${words.answer}: ${a}`}</em> : null}
    </>
  );
}

function Period({ period, words }: { period: PlanPeriod; words: DocumentWords }) {
  return (
    <>
      <h4 className="mt-6 border-b border-paper-rule pb-1 text-[1.0625rem] font-bold">
        {words.period} {period.no}: {period.subtopic}
      </h4>
      {period.phases.map((phase, index) => (
        <div key={index} className="mt-3">
          <p className="font-bold">
            {phase.name} ({phase.minutes} {words.minutes})
          </p>
          <Move who={words.teacher} does={phase.teacher} />
          <Move who={words.pupils} does={phase.pupils} />
          {phase.questions.map((question, place) => (
            <p key={place}>
              <Question {...question} words={words} />
            </p>
          ))}
          <Move who={words.blackboard} does={phase.board} />
        </div>
      ))}
      {period.check ? (
        <p className="mt-3">
          <strong>{words.check}:</strong> <Question {...period.check} words={words} />
        </p>
      ) : null}
      <Move who={words.homework} does={period.homework} />
    </>
  );
}

function Move({ who, does }: { who: string; does: string }) {
  if (does === '') return null;
  return (
    <p>
      <strong>{who}:</strong> {does}
    </p>
  );
}

function Differentiation({
  rows,
  words,
}: {
  rows: LessonPlanDocument['differentiation'];
  words: DocumentWords;
}) {
  if (!rows) return null;
  const entries = [
    [words.support, rows.support],
    [words.core, rows.core],
    [words.extension, rows.extension],
    [words.inclusive, rows.inclusive],
  ].filter(([, text]) => text !== '');
  return (
    <Section title={words.differentiation} items={entries}>
      {([name, text]) => (
        <>
          <strong>{name}:</strong> {text}
        </>
      )}
    </Section>
  );
}
