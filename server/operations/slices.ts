// Scans a list whose filters no index covers. Each slice is a separate read, so other requests run in between, however
// long the list is. The scan stops when the client disconnects.
import type { Reader } from '../store/engine/transaction.ts';
import type { Page, Slice, SlicePage } from '../store/lists/newest.ts';
import type { Context } from './operation.ts';

const FIRST_ROWS = 64;
const MIN_ROWS = 8;
const MAX_ROWS = 4096;
/** Target duration of a slice. After a faster slice the size doubles; after a slower one it shrinks in proportion. */
const WANTED_MS = 2;

/** Returns the items of a page. Fewer than its limit means the end of the list. */
export function inSlices<Item>(context: Context, read: (reader: Reader, page: SlicePage) => Promise<Slice<Item>>) {
  const size = openSize(context);
  return async (page: Page): Promise<Item[]> => {
    const found: Item[] = [];
    for (let beyond = page.beyond; !context.gone?.aborted; ) {
      const slice = await size.read((reader, rows) =>
        read(reader, { ...page, beyond, rows, limit: page.limit - found.length }),
      );
      found.push(...slice.found);
      if (slice.end === undefined || found.length === page.limit) break;
      beyond = slice.end;
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
  const size = openSize(context);
  let total = 0;
  for (let beyond: number | undefined; !context.gone?.aborted; ) {
    const { count, end } = await size.read((reader, rows) => read(reader, { networks, beyond, rows, limit: 0 }));
    total += count;
    if (end === undefined) break;
    beyond = end;
  }
  return total;
}

/** Adapts the number of rows to `WANTED_MS`: a text may have 3 characters or 60,000. */
function openSize({ store }: Context) {
  let rows = FIRST_ROWS;
  const timed = async <T>(work: () => Promise<T>): Promise<T> => {
    const start = performance.now();
    const result = await work();
    const took = performance.now() - start;
    rows = took < WANTED_MS ? Math.min(MAX_ROWS, rows * 2) : Math.max(MIN_ROWS, Math.ceil((rows * WANTED_MS) / took));
    return result;
  };
  return {
    read: <T>(read: (reader: Reader, rows: number) => Promise<T>): Promise<T> =>
      store.read((reader) => timed(() => read(reader, rows))),
  };
}
