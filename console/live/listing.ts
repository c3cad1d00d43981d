// A paginated list whose rows are on no stream, such as members or tokens. While it is visible, its first page reloads
// when the stream announces a change, or every few seconds if no change is announced or the stream is not live.
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { ChangeData } from '../../server/domain/changes.ts';
import { MAX_REST_LIMIT } from '../../server/domain/limits.ts';
import { onChange } from './changes.ts';
import { liveState } from './store.ts';
import { atMostEvery } from './throttle.ts';

const REFRESH_MS = 8_000;
const AFTER_CHANGE_MS = 1_000;

export type Portion<Row> = { rows: readonly Row[]; next: string | undefined };

export type Listing<Row> = {
  /** Null until the first response. */
  rows: ReadonlySignal<readonly Row[] | null>;
  failed: ReadonlySignal<boolean>;
  hasMore: ReadonlySignal<boolean>;
  load(): Promise<void>;
  loadMore(): Promise<void>;
};

/** `key` identifies the list: another key is another list. `isAbout` selects the announced changes that affect it. */
export function useListing<Row>(
  key: string,
  keyOf: (row: Row) => string,
  ask: (cursor: string | undefined) => Promise<Portion<Row>>,
  isAbout?: (change: ChangeData) => boolean,
): Listing<Row> {
  const rows = useSignal<readonly Row[] | null>(null);
  const failed = useSignal(false);
  const hasMore = useSignal(false);
  const listing = useMemo(() => listingOf({ rows, failed, hasMore }, keyOf, ask), [key]);
  useEffect(() => {
    rows.value = null;
    void listing.load();
    const refresh = () => document.hidden || void listing.load();
    const isAnnounced = () => isAbout !== undefined && liveState.value.state === 'live';
    const timer = setInterval(() => isAnnounced() || refresh(), REFRESH_MS);
    const reload = atMostEvery(AFTER_CHANGE_MS, refresh);
    const unfollow = onChange((change) => (change === undefined || isAbout?.(change)) && reload.soon());
    document.addEventListener('visibilitychange', refresh);
    addEventListener('focus', refresh);
    return () => {
      listing.close();
      clearInterval(timer);
      reload.stop();
      unfollow();
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
