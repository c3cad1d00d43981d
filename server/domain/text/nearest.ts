// Finds the known word closest to a mistyped one.

const MOST_MISTAKES = 3;

/** Returns undefined if no word is close enough: at most three letters, and fewer than half, may differ. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((candidate) => ({ candidate, mistakes: mistakesBetween(word, candidate) }))
    .sort((a, b) => a.mistakes - b.mistakes);
  if (best === undefined || best.mistakes > MOST_MISTAKES) return undefined;
  return best.mistakes * 2 < Math.max(word.length, best.candidate.length) ? best.candidate : undefined;
}

// Counts letters inserted, deleted, replaced, or swapped with their neighbor.
function mistakesBetween(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, row) =>
    Array.from({ length: b.length + 1 }, (_, column) => (row === 0 ? column : column === 0 ? row : 0)),
  );
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Infinity;
  for (let row = 1; row <= a.length; row++) {
    for (let column = 1; column <= b.length; column++) {
      const replaced = at(row - 1, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const swapped =
        a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1] ? at(row - 2, column - 2) + 1 : Infinity;
      rows[row]?.splice(column, 1, Math.min(at(row - 1, column) + 1, at(row, column - 1) + 1, replaced, swapped));
    }
  }
  return at(a.length, b.length);
}
