import type { ReactNode } from 'react';
import { word, type DocumentWords } from '../document-words';

interface WithWords {
  words: DocumentWords;
}

interface PartProps extends WithWords {
  name: string;
  /** Takes the place of the word for this name. */
  title?: string | undefined;
}

/** A heading of the second level. */
export function Part({ words, name, title = word(words, name) }: PartProps) {
  return <h4 className="mt-6 border-b border-paper-rule pb-0.5 text-lg font-bold">{title}</h4>;
}

/** A heading of the third level. */
export function SubPart({ children }: { children: ReactNode }) {
  return <h5 className="mt-4 text-[1.0625rem] font-bold">{children}</h5>;
}

/** `Label: text` with the label in bold. */
export function Labelled({ words, name, children }: WithWords & { name: string; children: ReactNode }) {
  return (
    <>
      <strong>{word(words, name)}: </strong>
      {children}
    </>
  );
}

/** A question with its answer. */
export function QuestionAnswer({ words, q, a }: WithWords & { q: string; a: string }) {
  return (
    <>
      {q}{' '}
      <em>
        {word(words, 'answer')}: {a}
      </em>
    </>
  );
}

interface Item {
  marker: string;
  content: ReactNode;
}

/** A list whose markers are text, as in the file. */
export function Items({ items }: { items: readonly Item[] }) {
  return (
    <ul className="mt-1.5 space-y-1">
      {items.map(({ marker, content }, index) => (
        <li key={index} className="flex gap-2">
          <span className="min-w-5 shrink-0 text-right">{marker} </span>
          <span className="min-w-0 flex-1">{content}</span>
        </li>
      ))}
    </ul>
  );
}

export function bullet(content: ReactNode): Item {
  return { marker: '•', content };
}

interface TableProps extends WithWords {
  /** The names of the column headings. */
  columns: readonly string[];
  /** The width of each column, as a share. */
  widths: readonly number[];
  rows: readonly (readonly ReactNode[])[];
}

/**
 * A table with a header row. On phones its cells are
 * below one another, each under its column's name.
 */
export function Table({ words, columns, widths, rows }: TableProps) {
  return (
    <table className="mt-2 w-full border-collapse text-[0.9375rem] max-sm:block">
      <thead className="max-sm:sr-only">
        <tr>
          {columns.map((name, index) => (
            <th
              key={name}

              scope="col"
              style={{ width: `${widths[index] ?? 1}%` }}
              className="border border-paper-rule px-2 py-1 text-left font-bold"
            >
              {word(words, name)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="max-sm:block">
        {rows.map((cells, row) => (
          <tr
            key={row}

            className="max-sm:mt-2 max-sm:block max-sm:border-l-2 max-sm:border-paper-rule max-sm:pl-3"
          >
            {cells.map((cell, column) => (
              <td
                key={column}

                data-label={word(words, columns[column] ?? '')}
                className="px-2 py-1 align-top max-sm:block max-sm:px-0 max-sm:py-0.5 max-sm:before:mr-1.5 max-sm:before:text-sm max-sm:before:text-paper-muted max-sm:before:italic max-sm:before:content-[attr(data-label)] sm:border sm:border-paper-rule"
              >
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Ruled lines for writing. */
export function RuledLines({ count }: { count: number }) {
  return Array.from({ length: count }, (_, index) => (
    <span key={index} aria-hidden="true" className="mt-7 block border-b border-paper-ink" />
  ));
}
