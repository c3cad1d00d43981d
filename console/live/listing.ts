// A paginated list without live events, such as members or tokens. While it is visible, its first page reloads every
// few seconds, which bounds the age of the data.
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { MAX_REST_LIMIT } from '../../server/domain/limits.ts';

const REFRESH_MS = 8_000;

export type Portion<Row> = { rows: readonly Row[]; next: string | undefined };

export type Listing<Row> = {
  /** Null until the first response. */
  rows: ReadonlySignal<readonly Row[] | null>;
  failed: ReadonlySignal<boolean>;
  hasMore: ReadonlySignal<boolean>;
  load(): Promise<void>;
  loadMore(): Promise<void>;
};

/** `key` identifies the list: another key is another list. */
export function useListing<Row>(
  key: string,
  keyOf: (row: Row) => string,
  ask: (cursor: string | undefined) => Promise<Portion<Row>>,
): Listing<Row> {
  const rows = useSignal<readonly Row[] | null>(null);
  const failed = useSignal(false);
  const hasMore = useSignal(false);
  const listing = useMemo(() => listingOf({ rows, failed, hasMore }, keyOf, ask), [key]);
  useEffect(() => {
    rows.value = null;
    void listing.load();
    const timer = setInterval(() => document.hidden || void listing.load(), REFRESH_MS);
    const refresh = () => document.hidden || void listing.load();
    document.addEventListener('visibilitychange', refresh);
    addEventListener('focus', refresh);
    return () => {
      listing.close();
      clearInterval(timer);
      document.removeEventListener('visibilitychange', refresh);
      removeEventListener('focus', refresh);
    };
  }, [key]);
  return { rows, failed, hasMore, load: listing.load, loadMore: listing.loadMore };
}

type Shown<Row> = { rows: { value: readonly Row[] | null }; failed: { value: boolean }; hasMore: { value: boolean } };

function listingOf<Row>(
  shown: Shown<Row>,
  keyOf: (row: Row) => string,
  ask: (cursor: string | undefined) => Promise<Portion<Row>>,
) {
  let next: string | undefined;
  let isClosed = false;

  /** Applies the response, unless it is no longer needed. */
  async function take(cursor: string | undefined, use: (portion: Portion<Row>) => void): Promise<void> {
    const portion = await ask(cursor).catch(() => undefined);
    if (isClosed) return;
    shown.failed.value = portion === undefined;
    if (portion !== undefined) use(portion);
    shown.hasMore.value = next !== undefined;
  }

  const load = () =>
    take(undefined, (first) => {
      const tail = tailAfter(shown.rows.value ?? [], first, keyOf);
      if (tail.length === 0) next = first.next;
      shown.rows.value = [...first.rows, ...tail];
    });
  const loadMore = () =>
    take(next, (portion) => {
      const known = new Set(shown.rows.value?.map(keyOf));
      next = portion.next;
      shown.rows.value = [...(shown.rows.value ?? []), ...portion.rows.filter((row) => !known.has(keyOf(row)))];
    });
  return { load, loadMore, close: () => void (isClosed = true) };
}

/** The rows of later pages, which a reloaded first page does not contain. */
export function tailAfter<Row>(
  known: readonly Row[],
  first: Portion<Row>,
  keyOf: (row: Row) => string,
): readonly Row[] {
  const last = first.rows.at(-1);
  if (first.next === undefined || last === undefined) return [];
  const at = known.findIndex((row) => keyOf(row) === keyOf(last));
  const fresh = new Set(first.rows.map(keyOf));
  return at < 0 ? [] : known.slice(at + 1).filter((row) => !fresh.has(keyOf(row)));
}

const PAGES_AT_ONCE = 4;

/**
 * Loads several pages at once: the complete list when it is short and filtered in the browser, otherwise a part of it.
 */
export async function loadPages<Row>(
  cursor: string | undefined,
  ask: (query: { limit: number; cursor: string | undefined }) => Promise<Portion<Row>>,
): Promise<Portion<Row>> {
  const rows: Row[] = [];
  let next = cursor;
  for (let page = 0; page < PAGES_AT_ONCE; page++) {
    const portion = await ask({ limit: MAX_REST_LIMIT, cursor: next });
    rows.push(...portion.rows);
    next = portion.next;
    if (next === undefined) break;
  }
  return { rows, next };
}

/** True when one of the texts contains every search word. */
export function matchesWords(wanted: string | undefined, texts: readonly (string | null | undefined)[]): boolean {
  const text = texts.join('\n').toLowerCase();
  return (wanted ?? '')
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
