// Pages of a list. A cursor is the number of the last item shown.
import { invalidInput } from '../domain/errors.ts';
import type { Page } from '../store/newest.ts';

export type PageRequest = { cursor?: string | undefined; limit: number };

/** Reads one item more than asked for, to know whether there is more. */
export async function readPage<Item extends { seq: number }>(
  { networks }: { networks: readonly string[] },
  { cursor, limit }: PageRequest,
  read: (page: Page) => Promise<Item[]>,
) {
  const found = await read({ networks, beyond: positionOf(cursor), limit: limit + 1 });
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const isMore = found.length > limit && last !== undefined;
  return { items, count: items.length, ...(isMore && { next_cursor: String(last.seq) }) };
}

function positionOf(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  if (!/^[1-9][0-9]{0,14}$/.test(cursor)) throw invalidInput('cursor must be a next_cursor that an earlier page answered');
  return Number(cursor);
}
