// Scans a list whose filters no index covers. Each slice is a separate read, so other requests run in between, however
// long the list is. The scan stops when the client disconnects, because the next read then fails.
import type { Reader } from '../store/engine/transaction.ts';
import type { Page, Slice, SlicePage } from '../store/lists/newest.ts';
import type { Context } from './operation.ts';
import { type Elapsed, openSize, type SizeLimits } from './portion-size.ts';

/**
 * Few rows, because long ones may follow short ones. A search for 200 characters in texts of 10,000 that nearly match
 * takes 2.5 ms per row.
 */
const SLICE: SizeLimits = { first: 4, min: 1, max: 512, wantedMs: 2 };

/** How long a search runs for one page, if its caller shows partial results. */
const SEARCH_MS = 400;

/** Ends a scan when its time is up; `cutAt` is where it ended. */
export type TimeLimit<Position = number> = { isOver(): boolean; cutAt?: Position };

export function openTimeLimit<Position = number>(elapsed: Elapsed = () => performance.now()): TimeLimit<Position> {
  const end = elapsed() + SEARCH_MS;
  return { isOver: () => elapsed() >= end };
}

/** Returns the items of a page. Fewer than its limit means the end of the list, or that its time was up. */
export function inSlices<Item, Position = number>(
  context: Context,
  read: (reader: Reader, page: SlicePage<Position>) => Promise<Slice<Item, Position>>,
  timeLimit?: TimeLimit<Position>,
) {
  const size = openSize(SLICE);
  return async (page: Page<Position>): Promise<Item[]> => {
    const found: Item[] = [];
    for (let beyond = page.beyond; ; ) {
      const slice = await context.store.read((reader) =>
        size.step((rows) => read(reader, { ...page, beyond, rows, limit: page.limit - found.length })),
      );
      found.push(...slice.found);
      if (slice.end === undefined || found.length === page.limit) break;
      beyond = slice.end;
      if (timeLimit?.isOver() === true) {
        timeLimit.cutAt = beyond;
        break;
      }
    }
    return found;
  };
}

/** Counts the matches in the whole list. */
export async function countInSlices(
  context: Context,
  networks: readonly string[],
  read: (reader: Reader, page: SlicePage) => Promise<{ count: number; end: number | undefined }>,
): Promise<number> {
  const size = openSize(SLICE);
  let total = 0;
  for (let beyond: number | undefined; ; ) {
    const from = beyond;
    const { count, end } = await context.store.read((reader) =>
      size.step((rows) => read(reader, { networks, beyond: from, rows, limit: 0 })),
    );
    total += count;
    if (end === undefined) break;
    beyond = end;
  }
  return total;
}
