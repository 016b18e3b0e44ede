/** The most rows that the API returns at once. */
const pageSize = 1_000;

interface Answer<Row> {
  data: Row[] | null;
  error: { message: string } | null;
}

/**
 * Reads all rows of a query page by page. The query must
 * have a fixed order. Throws the message of the API.
 */
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
