// Scans a list whose filters no index covers. Each portion is a separate read, so other requests run in between,
// however long the list is. The scan stops when the client disconnects, because the next read then fails.
import type { Reader } from '../store/engine/transaction.ts';
import type { Page, Slice, SlicePage } from '../store/lists/newest.ts';
import type { Context } from './operation.ts';
import { type Elapsed, openPortions, type Portions } from './portion-size.ts';

/**
 * Rows per slice. Long rows may follow short ones: each takes 14 µs to read. It takes 0.1 ms to look for 200 characters
 * in a text of 10,000 that nearly matches, and half a millisecond in a result of 50,000.
 */
const MAX_ROWS = 256;
const MAX_SEARCHED_ROWS = 64;

/** The text that is looked for in each row, if any. */
type Searched = { text?: string | undefined };

function portionsFor({ text }: Searched, elapsed?: Elapsed): Portions {
  return openPortions(elapsed, { max: text === undefined ? MAX_ROWS : MAX_SEARCHED_ROWS });
}

/** How long a search runs for one page, if its caller shows partial results. */
const SEARCH_MS = 400;

/** Ends a scan when its time is up; `cutAt` is where it ended. */
export type TimeLimit<Position = number> = { isOver(): boolean; cutAt?: Position | undefined };

export function openTimeLimit<Position = number>(elapsed: Elapsed = () => performance.now()): TimeLimit<Position> {
  const end = elapsed() + SEARCH_MS;
  return { isOver: () => elapsed() >= end };
}

type Place<Position> = { beyond: Position | undefined };

/** Returns the items of a page. Fewer than its limit means the end of the list, or that its time was up. */
export function inSlices<Item, Position = number>(
  context: { store: Pick<Context['store'], 'read'> },
  read: (reader: Reader, page: SlicePage<Position>) => Promise<Slice<Item, Position>>,
  { timeLimit, elapsed, text }: Searched & { timeLimit?: TimeLimit<Position> | undefined; elapsed?: Elapsed } = {},
) {
  const portions = portionsFor({ text }, elapsed);
  return async (page: Page<Position>): Promise<Item[]> => {
    const found: Item[] = [];
    const step = async (reader: Reader, { beyond }: Place<Position>, rows: number) => {
      const slice = await read(reader, { ...page, beyond, rows, limit: page.limit - found.length });
      found.push(...slice.found);
      return placeAt(found.length === page.limit ? undefined : slice.end);
    };
    for (let place: Place<Position> | undefined = { beyond: page.beyond }; place !== undefined; ) {
      const from: Place<Position> = place;
      place = await context.store.read((reader) => portions.run(from, (at, rows) => step(reader, at, rows)));
      if (place === undefined || timeLimit?.isOver() !== true) continue;
      timeLimit.cutAt = place.beyond;
      break;
    }
    return found;
  };
}

function placeAt<Position>(end: Position | undefined): Place<Position> | undefined {
  return end === undefined ? undefined : { beyond: end };
}

/** Counts the matches in the whole list. */
export async function countInSlices(
  context: Context,
  networks: readonly string[],
  read: (reader: Reader, page: SlicePage) => Promise<{ count: number; end: number | undefined }>,
  searched: Searched,
): Promise<number> {
  const portions = portionsFor(searched);
  let total = 0;
  const step = async (reader: Reader, { beyond }: Place<number>, rows: number) => {
    const { count, end } = await read(reader, { networks, beyond, rows, limit: 0 });
    total += count;
    return placeAt(end);
  };
  for (let place: Place<number> | undefined = { beyond: undefined }; place !== undefined; ) {
    const from: Place<number> = place;
    place = await context.store.read((reader) => portions.run(from, (at, rows) => step(reader, at, rows)));
  }
  return total;
}
