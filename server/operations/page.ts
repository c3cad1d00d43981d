// Pages of a list: newest first, cut by the sequence number of the last item shown. A cursor is that number.
import { invalidInput } from '../domain/errors.ts';

/** What a cursor points behind; undefined for the first page. */
export function positionOf(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  if (!/^[1-9][0-9]{0,14}$/.test(cursor)) throw invalidInput('cursor must be a next_cursor that an earlier page answered');
  return Number(cursor);
}

/** Cuts a list that was read one longer than `limit`, to know whether there is more. */
export function pageOf<Item>(found: readonly Item[], limit: number, sequence: (item: Item) => number) {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const isMore = found.length > limit && last !== undefined;
  return { items, count: items.length, ...(isMore && { next_cursor: String(sequence(last)) }) };
}
