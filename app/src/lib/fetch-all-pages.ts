/** The most rows that the API hands out at once. */
const pageSize = 1_000;

interface Answer<Row> {
  data: Row[] | null;
  error: { message: string } | null;
}

/** Reads all rows of a query page by page, which must be in a fixed order. Throws what the API says. */
export async function fetchAllPages<Row>(
  read: (from: number, to: number) => PromiseLike<Answer<Row>>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const { data, error } = await read(rows.length, rows.length + pageSize - 1);
    if (error) throw new Error(error.message);
    rows.push(...(data ?? []));
    if ((data ?? []).length < pageSize) return rows;
  }
}
