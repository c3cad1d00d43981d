// Pages of a list. A cursor is the number of the last item shown. A page has as many items as were asked for, or fewer where
// they are large: what one answer takes in memory is bounded, whatever is in the list.
import { invalidInput } from '../domain/errors.ts';
import { MAX_PAGE_CHARACTERS } from '../domain/limits.ts';
import type { Page } from '../store/newest.ts';

export type PageRequest = { cursor?: string | undefined; limit: number };

const AT_ONCE = 100;

/** Reads one item more than it shows, to know whether there is more. */
export async function readPage<Item extends { seq: number }>(
  { networks }: { networks: readonly string[] },
  { cursor, limit }: PageRequest,
  read: (page: Page) => Promise<Item[]>,
) {
  const items: Item[] = [];
  let beyond = positionOf(cursor);
  let characters = 0;
  let isMore = true;
  while (isMore && items.length < limit && characters < MAX_PAGE_CHARACTERS) {
    const found = await read({ networks, beyond, limit: Math.min(limit - items.length, AT_ONCE) + 1 });
    const large = found.findIndex((item) => (characters += sizeOf(item)) >= MAX_PAGE_CHARACTERS);
    const shown = found.slice(0, Math.min(large === -1 ? Infinity : large + 1, limit - items.length, AT_ONCE));
    items.push(...shown);
    beyond = shown.at(-1)?.seq;
    isMore = found.length > shown.length;
  }
  return { items, count: items.length, ...(isMore && { next_cursor: String(beyond) }) };
}

function sizeOf(item: object): number {
  return Object.values(item).reduce((size: number, value) => size + (typeof value === 'string' ? value.length : 0), 0);
}

function positionOf(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  if (!/^[1-9][0-9]{0,14}$/.test(cursor)) throw invalidInput('cursor must be a next_cursor that an earlier page answered');
  return Number(cursor);
}
