// Pages of a list. A cursor encodes the last item shown, and only the same list can decode it. A page ends early if its
// items are large, which bounds the memory of a response.
import { invalidInput } from '../domain/errors.ts';
import type { PublicKind } from '../domain/ids/public-ids.ts';
import { MAX_PAGE_BYTES } from '../domain/limits.ts';
import { encodedBytes } from '../domain/text/encoded-bytes.ts';
import type { Hub } from '../hub.ts';
import type { Page } from '../store/lists/newest.ts';

export type PageRequest = { cursor?: string | undefined; limit: number };

/** How a list converts between positions and cursors. */
export type Cursors<Item, Position> = {
  positionOf(item: Item): Position;
  write(position: Position): string;
  /** Undefined for a cursor that `write` did not create for this list. */
  read(cursor: string): Position | undefined;
};

/** Cursors for a list ordered by sequence number. */
export function numbered({ publicIds }: Pick<Hub, 'publicIds'>, list: PublicKind): Cursors<{ seq: number }, number> {
  return {
    positionOf: ({ seq }) => seq,
    write: (seq) => publicIds.ofNumber(list, seq),
    read: (cursor) => publicIds.numberIn(list, cursor),
  };
}

type Scope<Item, Position> = { networks: readonly string[]; cursors: Cursors<Item, Position> };

/** Rows per statement: the first statement, and the maximum. All of them are read, even if few fit into the page. */
const AT_FIRST = 5;
const AT_ONCE = 20;

/**
 * Reads one item more than it shows, to find out whether there are more. Starts with few, then reads as many as are
 * likely to fit.
 */
export async function readPage<Item extends object, Position>(
  { networks, cursors }: Scope<NoInfer<Item>, Position>,
  { cursor, limit }: PageRequest,
  read: (page: Page<Position>) => Promise<Item[]>,
) {
  const items: Item[] = [];
  let beyond = positionIn(cursors, cursor);
  let bytes = 0;
  let isMore = true;
  let isFull = false;
  while (isMore && items.length < limit && !isFull) {
    const wanted = Math.min(limit - items.length, likelyToFit(items.length, bytes, MAX_PAGE_BYTES));
    const found = await read({ networks, beyond, limit: wanted + 1 });
    const tooMuch = found.slice(0, wanted).findIndex((item) => (bytes += encodedBytes(item) + 1) > MAX_PAGE_BYTES);
    isFull = tooMuch !== -1;
    const shown = found.slice(0, isFull ? Math.max(tooMuch, items.length === 0 ? 1 : 0) : wanted);
    items.push(...shown);
    const last = items.at(-1);
    beyond = last && cursors.positionOf(last);
    isMore = found.length > shown.length;
  }
  return { items, count: items.length, ...(isMore && beyond !== undefined && { next_cursor: cursors.write(beyond) }) };
}

/** A page that may end before its limit, even empty, because its search ran out of time. */
export function withCut<PageOf extends { next_cursor?: string }, Position>(
  { cursors }: Scope<never, Position>,
  page: PageOf,
  cutAt: Position | undefined,
): PageOf {
  return page.next_cursor === undefined && cutAt !== undefined ? { ...page, next_cursor: cursors.write(cutAt) } : page;
}

function positionIn<Position>(
  cursors: Pick<Cursors<never, Position>, 'read'>,
  cursor: string | undefined,
): Position | undefined {
  if (cursor === undefined) return undefined;
  const position = cursors.read(cursor);
  if (position === undefined) throw invalidInput('cursor must be the next_cursor of an earlier page');
  return position;
}

/**
 * The first `limit` items, or as many as fit into `budget` encoded bytes, including commas; always at least one.
 * `isCut` says that the budget left some out. `read` is called in steps, within one snapshot.
 */
export async function readFirst<Item>(
  limit: number,
  budget: number,
  read: (limit: number, skipped: number) => Promise<Item[]>,
) {
  const shown: Item[] = [];
  let bytes = 0;
  for (;;) {
    const wanted = Math.min(limit - shown.length, likelyToFit(shown.length, bytes, budget));
    const found = await read(wanted, shown.length);
    const beyond = found.findIndex((item) => (bytes += encodedBytes(item) + 1) > budget);
    const isCut = beyond !== -1;
    shown.push(...(isCut ? found.slice(0, Math.max(beyond, shown.length === 0 ? 1 : 0)) : found));
    if (isCut || found.length < wanted || shown.length === limit) return { shown, isCut };
  }
}

/** How many more items to read, estimated from the average size so far. */
function likelyToFit(items: number, bytes: number, budget: number): number {
  if (items === 0) return AT_FIRST;
  return Math.max(1, Math.min(AT_ONCE, Math.ceil((budget - bytes) / (bytes / items))));
}
