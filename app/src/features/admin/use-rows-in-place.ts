import { useState } from 'react';

/** A row of a list that others change while it is read. */
export interface PlacedRow<Row> {
  key: string;
  row: Row;
  /** It is not in the list any more. It keeps its place until it is removed by hand. */
  gone: boolean;
}

/** The rows as they are shown, with what has changed: new ones stand at the end. */
export function placeRows<Row>(
  shown: readonly PlacedRow<Row>[],
  current: readonly Row[],
  keyOf: (row: Row) => string,
): PlacedRow<Row>[] {
  const left = new Map(current.map((row) => [keyOf(row), row]));
  const placed = shown.map(({ key, row }) => {
    const now = left.get(key);
    left.delete(key);
    return { key, row: now ?? row, gone: now === undefined };
  });
  return [...placed, ...[...left].map(([key, row]) => ({ key, row, gone: false }))];
}

/**
 * Keeps each row where it is while the list changes, so that nothing moves under the eyes or the
 * finger of its reader. `keyOf` must not depend on the render.
 */
export function useRowsInPlace<Row>(current: readonly Row[] | undefined, keyOf: (row: Row) => string) {
  const [seen, setSeen] = useState<readonly Row[]>();
  const [rows, setRows] = useState<readonly PlacedRow<Row>[]>([]);
  if (current && current !== seen) {
    setSeen(current);
    setRows(placeRows(rows, current, keyOf));
  }
  const remove = (key: string) => {
    setRows((shown) => shown.filter((row) => row.key !== key));
  };
  return { rows, remove };
}
