// A search that runs in short requests, each of which returns what the hub found meanwhile, until enough is found or
// the list ends. Stopping it cancels the request, so that the hub stops too.
import { type ReadonlySignal, signal } from '@preact/signals';
import type { Portion } from '../live/listing.ts';

/** `cut`: there may be more. */
export type SearchState = 'running' | 'cut' | 'whole' | 'failed';

export type Search<Row> = {
  readonly rows: ReadonlySignal<readonly Row[]>;
  readonly state: ReadonlySignal<SearchState>;
  /** Finds as many more results, or continues after a failure. */
  more(): Promise<void>;
  stop(): void;
};

export type Ask<Row> = (cursor: string | undefined, signal: AbortSignal) => Promise<Portion<Row>>;

type SearchOptions<Row> = {
  ask: Ask<Row>;
  keyOf(row: Row): string;
  /** Shown until the hub has found them. */
  known: readonly Row[];
  wanted: number;
  /** The number of results in the rows. */
  countOf?(rows: readonly Row[]): number;
};

export function search<Row>({
  ask,
  keyOf,
  known,
  wanted,
  countOf = (rows) => rows.length,
}: SearchOptions<Row>): Search<Row> {
  const rows = signal(known);
  const state = signal<SearchState>('running');
  const stopping = new AbortController();
  let found: readonly Row[] = [];
  let cursor: string | undefined;

  async function more(): Promise<void> {
    const enough = countOf(found) + wanted;
    state.value = 'running';
    try {
      do await next();
      while (cursor !== undefined && countOf(found) < enough);
      state.value = cursor === undefined ? 'whole' : 'cut';
    } catch {
      if (!stopping.signal.aborted) state.value = 'failed';
    }
  }

  async function next(): Promise<void> {
    const portion = await ask(cursor, stopping.signal);
    stopping.signal.throwIfAborted();
    const keys = new Set(found.map(keyOf));
    found = [...found, ...portion.rows.filter((row) => !keys.has(keyOf(row)))];
    cursor = portion.next;
    rows.value = cursor === undefined ? found : withKnown();
  }

  function withKnown(): readonly Row[] {
    const keys = new Set(found.map(keyOf));
    return [...found, ...known.filter((row) => !keys.has(keyOf(row)))];
  }

  return { rows, state, more, stop: () => stopping.abort() };
}
