// Placeholders for statements that bind a list or insert many rows.

/** `?, ?, ?` for three values. A list without values contains nothing, like one with NULL: `IN ()` is not SQL. */
export function placeholders(values: readonly unknown[]): string {
  return values.length === 0 ? 'NULL' : values.map(() => '?').join(', ');
}

/** `(?, ?), (?, ?), (?, ?)` for three rows of two values. */
function tuples(rows: number, values: number): string {
  const one = `(${Array(values).fill('?').join(', ')})`;
  return Array(rows).fill(one).join(', ');
}

const MAX_PIECE = 256;

/**
 * Splits rows into pieces whose lengths are powers of two, each with its statement, so that few statements are prepared
 * and reused. `insert` ends with `VALUES`.
 */
export function statementsFor(insert: string, values: number) {
  const statements = new Map<number, string>();
  const statementOf = (rows: number): string => {
    const sql = statements.get(rows) ?? `${insert} ${tuples(rows, values)}`;
    statements.set(rows, sql);
    return sql;
  };
  return <Row>(rows: readonly Row[]): { sql: string; piece: readonly Row[] }[] => {
    const cut: { sql: string; piece: readonly Row[] }[] = [];
    for (let start = 0, length = MAX_PIECE; start < rows.length; start += length) {
      while (length > rows.length - start) length /= 2;
      cut.push({ sql: statementOf(length), piece: rows.slice(start, start + length) });
    }
    return cut;
  };
}
