import { Items, Labelled, bullet } from '@/builder/components/document-parts';
import { word } from '@/builder/document-words';
import type { AskedQuestion, PaperBlueprint, PaperDocument } from '../document-schema';
import { halves, numberOf, type PaperWords } from '../paper-words';
import { Line } from './paper-body';

interface PaperProps {
  paper: PaperDocument;
  words: PaperWords;
}

/**
 * The teacher's pages: key and marking scheme, blueprint,
 * notes (functions/SPECIFICATION.md DOM-5, DOM-3.4).
 */
export function PaperKey({ paper, words }: PaperProps) {
  return (
    <div className="mt-10 break-before-page border-t-2 border-dashed border-paper-rule pt-8 print:border-0 print:pt-0">
      <h3 className="text-center text-xl leading-tight font-bold">{word(words, 'key')}</h3>
      <p className="text-center italic">{paper.title}</p>
      {paper.sections.map((section) => (
        <div key={section.letter}>
          <h4 className="mt-4 font-bold">
            {section.name ?? word(words, 'sectionOfKey', { letter: section.letter })}
          </h4>
          {section.parts
            .flatMap((part) => part.questions)
            .map((question) => (
              <div key={question.no} className="mt-1 break-inside-avoid">
                <Answer marker={numberOf(question.no, paper.numbering)} question={question} />
                {question.choice ? (
                  <>
                    <p className="text-center font-bold">{word(words, 'or')}</p>
                    <Answer marker="" question={question.choice} />
                  </>
                ) : null}
              </div>
            ))}
        </div>
      ))}
      <p className="mt-3 italic">{word(words, 'otherMethods')}</p>
      {paper.blueprint ? <Blueprint blueprint={paper.blueprint} words={words} /> : null}
      {paper.notes.length > 0 ? (
        <>
          <h4 className="mt-5 font-bold">{word(words, 'notes')}</h4>
          <Items items={paper.notes.map((note) => bullet(note))} />
        </>
      ) : null}
    </div>
  );
}

/** One line if there is one point, else the answer and its points with their marks. */
function Answer({ marker, question }: { marker: string; question: AskedQuestion }) {
  const { scheme, parts } = question;
  const single = scheme.length < 2 || scheme.length === parts.length;
  return (
    <>
      <Line marker={marker} text={answerOf(question)} marks={`[${question.marks}]`} strong={!single} />
      {single
        ? null
        : scheme.map((point, index) => (
            <Line key={index} deep marker="•" text={point.point} marks={halves(point.marks)} />
          ))}
    </>
  );
}

/** Returns the answer in one line, as in the file. */
function answerOf({ key, answer, scheme, parts }: AskedQuestion): string {
  if (key) {
    const reason = scheme[0]?.point;
    return `(${key}) ${answer}${reason && reason !== answer ? ` – ${reason}` : ''}`;
  }
  if (scheme.length > 1 && scheme.length === parts.length) {
    return scheme.map(({ point, marks }) => `${point} [${halves(marks)}]`).join(' ');
  }
  return answer;
}

const typeOrder = ['mcq', 'fill', 'true-false', 'match', 'very-short', 'short', 'numerical', 'long'];

function Blueprint({ blueprint, words }: { blueprint: PaperBlueprint; words: PaperWords }) {
  const types = typeOrder.filter((type) => type in blueprint.byType);
  const tally = (entry: { count: number; marks: number } | undefined) =>
    entry ? `${entry.count} (${entry.marks})` : '–';
  const rows = [
    ...blueprint.bySubtopic.map((row) => [
      row.subtopic,
      ...types.map((type) => tally(row.types[type])),
      String(row.marks),
    ]),
    [word(words, 'total'), ...types.map((type) => tally(blueprint.byType[type])), String(blueprint.marks)],
  ];
  const heads = [
    word(words, 'subtopic'),
    ...types.map((type) => words.abbreviations[type] ?? type),
    word(words, 'total'),
  ];
  return (
    <>
      <h4 className="mt-5 font-bold">{word(words, 'blueprint')}</h4>
      <div
        className="scroll-hint mt-1.5 overflow-x-auto [--card:var(--paper)]"
        // A wide table scrolls in its place, and a scrolling region must be reachable by keyboard.
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        role="group"
        aria-label={word(words, 'blueprint')}
      >
        <table className="w-full border-collapse text-sm">
          <thead>
            <tr>
              {heads.map((head, index) => (
                <th
                  key={index}
                  scope="col"
                  className="border border-paper-rule px-1.5 py-1 text-left font-bold"
                >
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((cells, row) => (
              <tr key={row}>
                {cells.map((cell, column) => (
                  <td key={column} className="border border-paper-rule px-1.5 py-1 align-top tabular-nums">
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Shares words={words} name="level" names={words.levels} marks={blueprint.byBloom} />
      <Shares words={words} name="difficulty" names={words.difficulties} marks={blueprint.byDifficulty} />
    </>
  );
}

interface SharesProps {
  words: PaperWords;
  name: string;
  names: readonly string[];
  marks: readonly number[];
}

/** `Level: Remember 12 (40 %) | Apply …` */
function Shares({ words, name, names, marks }: SharesProps) {
  const whole = Math.max(
    1,
    marks.reduce((sum, part) => sum + part, 0),
  );
  const shares = names.map((level, index) => {
    const part = marks[index] ?? 0;
    return `${level}: ${part} (${Math.floor((part * 100 + Math.floor(whole / 2)) / whole)}\u00a0%)`;
  });
  return (
    <p className="mt-1.5">
      <Labelled words={words} name={name}>
        {shares.join(' | ')}
      </Labelled>
    </p>
  );
}
