// The question marks of a statement that binds a list, and of one that stores many rows.

/** `?, ?, ?` for three values. */
export function placeholders(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}

/** `(?, ?), (?, ?), (?, ?)` for three rows of two values. */
export function tuples(rows: number, values: number): string {
  const one = `(${Array(values).fill('?').join(', ')})`;
  return Array(rows).fill(one).join(', ');
}

const MAX_PIECE = 256;

/** Cuts rows to store into pieces whose lengths are powers of two: few statements, which then stay prepared. */
export function pieces<Row>(rows: readonly Row[]): (readonly Row[])[] {
  const cut: (readonly Row[])[] = [];
  for (let start = 0, length = MAX_PIECE; start < rows.length; start += length) {
    while (length > rows.length - start) length /= 2;
    cut.push(rows.slice(start, start + length));
  }
  return cut;
}
