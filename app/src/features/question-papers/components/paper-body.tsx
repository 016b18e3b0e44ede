import { Labelled } from '@/builder/components/document-parts';
import { word } from '@/builder/document-words';
import { cn } from '@/lib/utils';
import type { AskedQuestion, PaperDocument } from '../document-schema';
import { letterAt, numberOf, roman, timeOf, type PaperWords } from '../paper-words';

interface PaperProps {
  paper: PaperDocument;
  words: PaperWords;
}

type Section = PaperDocument['sections'][number];
type Part = Section['parts'][number];

const blank = '____________________';

/**
 * The pupils' pages, with the same text in the same order
 * as the file (functions/SPECIFICATION.md DOM-3.1).
 */
export function PaperBody({ paper, words }: PaperProps) {
  return (
    <>
      <Head paper={paper} words={words} />
      {paper.sections.map((section) => (
        <SectionOfPaper key={section.letter} section={section} numbering={paper.numbering} words={words} />
      ))}
      <p className="mt-6 text-center font-bold text-balance">{word(words, 'end')}</p>
    </>
  );
}

function Head({ paper, words }: PaperProps) {
  const labelled = (name: string, text: string) => (
    <Labelled words={words} name={name}>
      {text}
    </Labelled>
  );
  const field = (name: string, text: string) => (
    <span className="min-w-0 [overflow-wrap:anywhere]">{labelled(name, text)}</span>
  );
  // A short one moves to the next line as a whole.
  const short = (name: string, text: string) => (
    <span className="whitespace-nowrap">{labelled(name, text)}</span>
  );
  return (
    <>
      <p className="overflow-hidden text-center whitespace-nowrap">{short('school', blank.repeat(2))}</p>
      <h3 className="text-center text-xl leading-tight font-bold">
        {paper.examination
          ? `${paper.examination} ${paper.session}`
          : word(words, 'examination', { session: paper.session })}
      </h3>
      <p className="mt-1 text-center text-sm text-paper-muted italic">{paper.label}</p>
      <p className="mt-3 flex flex-wrap justify-between gap-x-4">
        {short('class', String(paper.class))} {field('subject', paper.subject)}
      </p>
      <p className="flex flex-wrap justify-between gap-x-4">
        {short('time', timeOf(words, paper.minutes))} {short('maximum', String(paper.totalMarks))}
      </p>
      <p className="mt-1.5 flex flex-wrap gap-x-4">
        {field('board', paper.board)} {field('chapter', paper.chapter)}{' '}
        {field('book', `${paper.book} (${paper.publisher})`)}
      </p>
      <p className="mt-1.5 flex flex-wrap gap-x-4 border-b border-paper-ink pb-2.5">
        {['name', 'roll', 'division'].map((name) => (
          <span key={name} className="whitespace-nowrap">
            {word(words, name)}: {blank}{' '}
          </span>
        ))}
      </p>
      <h4 className="mt-3 font-bold">{word(words, 'instructions')}:</h4>
      <ul className="mt-1 space-y-0.5">
        {paper.instructions.map((line, index) => (
          <li key={line} className="flex gap-2">
            <span className="min-w-8 shrink-0">({roman(index + 1)}) </span>
            <span>{line}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

interface SectionProps {
  section: Section;
  numbering: PaperDocument['numbering'];
  words: PaperWords;
}

function SectionOfPaper({ section, numbering, words }: SectionProps) {
  return (
    <>
      <h4 className="mt-6 text-center text-lg font-bold">
        {section.name ?? word(words, 'section', { letter: section.letter })}
      </h4>
      <p className="text-center text-[0.9375rem] italic">{withUnbrokenResults(section.line)}</p>
      {section.parts.map((part, index) => (
        <PartOfPaper
          key={part.type}
          part={part}
          heading={section.parts.length > 1 ? partHeading(words, part, index) : null}
          numbering={numbering}
          words={words}
        />
      ))}
    </>
  );
}

function partHeading(words: PaperWords, part: Part, index: number): string {
  const name = word(words, 'part', { no: roman(index + 1).toUpperCase(), type: part.title });
  return withUnbrokenResults(`${name} (${part.count} × ${part.marksEach} = ${part.count * part.marksEach})`);
}

/** Keeps products and results on one line. */
function withUnbrokenResults(text: string): string {
  return text.replaceAll(/ ([×=]) /g, '\u00a0$1\u00a0');
}

interface PartProps {
  part: Part;
  heading: string | null;
  numbering: PaperDocument['numbering'];
  words: PaperWords;
}

function PartOfPaper({ part, heading, numbering, words }: PartProps) {
  return (
    <>
      {heading ? <h5 className="mt-4 font-bold">{heading}</h5> : null}
      {part.questions.map((question) => (
        <div key={question.no} className="mt-3 break-inside-avoid">
          <QuestionBlock
            marker={numberOf(question.no, numbering)}
            question={question}
            type={part.type}
            words={words}
          />
          {question.choice ? (
            <>
              <p className="my-1 text-center font-bold">{word(words, 'or')}</p>
              <QuestionBlock marker="" question={question.choice} type={part.type} words={words} />
            </>
          ) : null}
        </div>
      ))}
    </>
  );
}

interface QuestionBlockProps {
  marker: string;
  question: AskedQuestion;
  type: string;
  words: PaperWords;
}

/** One question with all its parts. Its marks stand at the right end. */
function QuestionBlock({ marker, question, type, words }: QuestionBlockProps) {
  return (
    <>
      <Line marker={marker} text={question.text} marks={`[${question.marks}]`} />
      {question.parts.map((piece) => (
        <Line
          key={piece.marker}
          deep
          marker={piece.marker}
          text={piece.text}
          marks={piece.marks > 0 ? `(${piece.marks})` : ''}
        />
      ))}
      {type === 'mcq' ? <Options options={question.options} /> : null}
      {type === 'match' ? <Columns pairs={question.pairs} words={words} /> : null}
    </>
  );
}

interface LineProps {
  marker: string;
  text: string;
  marks: string;
  deep?: boolean;
  strong?: boolean;
}

/** Marker, text, and marks at the right end, as on a question paper. */
export function Line({ marker, text, marks, deep = false, strong = false }: LineProps) {
  return (
    <p className={cn('flex gap-2', deep && 'mt-0.5 pl-8', strong && 'font-bold')}>
      <span className="min-w-7 shrink-0">{marker} </span>
      <span className="min-w-0 flex-1 whitespace-pre-line [overflow-wrap:anywhere]">{text} </span>
      <span className="shrink-0">{marks}</span>
    </p>
  );
}

/** Four in a row, two by two or one below the other, depending on the longest. */
function Options({ options }: { options: readonly string[] }) {
  const longest = Math.max(0, ...options.map((option) => Array.from(option).length));
  const columns = longest <= 14 ? 'grid-cols-2 sm:grid-cols-4' : longest <= 34 ? 'sm:grid-cols-2' : '';
  return (
    <ul className={cn('mt-1 grid gap-x-4 gap-y-0.5 pl-9', columns)}>
      {options.map((option, index) => (
        <li key={index} className="min-w-0 [overflow-wrap:anywhere]">
          ({letterAt(index)}) {option}
        </li>
      ))}
    </ul>
  );
}

function Columns({ pairs, words }: { pairs: AskedQuestion['pairs']; words: PaperWords }) {
  return (
    <table className="mt-1.5 ml-9 w-[calc(100%-2.25rem)] border-collapse text-[0.9375rem]">
      <thead>
        <tr>
          {['columnA', 'columnB'].map((name) => (
            <th key={name} scope="col" className="border border-paper-rule px-2 py-1 text-left font-bold">
              {word(words, name)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {pairs.map((pair, index) => (
          <tr key={index}>
            <td className="border border-paper-rule px-2 py-1 align-top">
              {index + 1}. {pair.left}
            </td>
            <td className="border border-paper-rule px-2 py-1 align-top">
              ({letterAt(index)}) {pair.right}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
