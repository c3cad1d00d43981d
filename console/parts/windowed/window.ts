// Which rows of a long list are rendered: those near the part on the screen, and the one with the focus. Empty space
// replaces the others. Positions are pixels from the start of the list.

/** The part of the list between two positions, or between two rows; `to` is not included. */
export type Range = { from: number; to: number };

/** A row by its index, or the height of the space in place of omitted rows. */
export type Piece = number | { height: number };

/** The position of each row, and of the end of the list. */
export function positionsOf(heights: readonly number[]): number[] {
  const positions = [0];
  for (const height of heights) positions.push((positions.at(-1) ?? 0) + height);
  return positions;
}

/** The rows that touch a part of the list. */
export function rowsIn(positions: readonly number[], { from, to }: Range): Range {
  const first = positions.findIndex((position, index) => index > 0 && position > from);
  const beyond = positions.findIndex((position) => position >= to);
  const end = positions.length - 1;
  return { from: first < 0 ? end : first - 1, to: beyond < 0 ? end : beyond };
}

/** `kept` is rendered wherever it is, with its neighbors, so that the focus can move on from it. */
export function piecesOf(positions: readonly number[], { from, to }: Range, kept: number | undefined): Piece[] {
  const end = positions.length - 1;
  const around = kept === undefined ? [] : [kept - 1, kept, kept + 1];
  const rows = around.filter((row) => row >= 0 && row < end && (row < from || row >= to));
  for (let row = from; row < to; row += 1) rows.push(row);
  const pieces: Piece[] = [];
  const leaveSpace = (after: number, before: number) => {
    if (before > after) pieces.push({ height: (positions[before] ?? 0) - (positions[after] ?? 0) });
  };
  let next = 0;
  for (const row of rows.sort((one, other) => one - other)) {
    leaveSpace(next, row);
    pieces.push(row);
    next = row + 1;
  }
  leaveSpace(next, end);
  return pieces;
}
