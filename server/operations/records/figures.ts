// The figures of an agent or a network: how fast tasks are started and settled, and how many fail. Read from counters,
// never from tasks, except for the longest wait.
import type { Millis } from '../../domain/time/clock.ts';
import { type BucketCount, percentileOf } from '../../domain/time/duration-buckets.ts';
import { HOUR_MS, timestamp } from '../../domain/time/time.ts';
import * as durationCounts from '../../store/counts/duration-counts.ts';
import type { ScopedStore } from '../../store/engine/database.ts';
import type { Reader } from '../../store/engine/transaction.ts';
import * as tasks from '../../store/tasks.ts';
import { openPortions } from '../portion-size.ts';

const { QUARTER_MS } = durationCounts;

/** Whole quarters of an hour, and the last one up to now. */
export type Span = { first: number; now: Millis };

export function spanOf(hours: number, now: Millis): Span {
  return { first: Math.floor((now - hours * HOUR_MS) / QUARTER_MS), now };
}

export function boundsOf({ first, now }: Span) {
  return { since: timestamp(first * QUARTER_MS), until: timestamp(now) };
}

/** What is counted so far. Its size depends on the hours, not on the number of tasks. */
export type Durations = {
  tasks: Record<durationCounts.Measure, number>;
  started: Spread;
  settled: Spread;
};

/** For each bucket, the counts of its spans. */
type Spread = number[][];

export function openDurations(): Durations {
  return { tasks: { started: 0, replied: 0, failed: 0, cancelled: 0, expired: 0 }, started: [], settled: [] };
}

/** The steps of a portion are spans of six hours. A busy agent fills thousands of rows in one, an idle one none. */
const SPANS_AT_ONCE = { max: 32 };

export type Counter = (whose: { network_id: string; alias: string }, durations: Durations) => Promise<void>;

/** Returns a function that adds the counts of one alias in one network, in portions. */
export function openCounter(store: ScopedStore, { first, now }: Span): Counter {
  const portions = openPortions(undefined, SPANS_AT_ONCE);
  return async (whose, durations) => {
    const step = async (reader: Reader, from: number, spans: number): Promise<number | undefined> => {
      for (const count of await durationCounts.listBySpan(reader, whose, { from, spans })) add(durations, count);
      const next = from + spans * durationCounts.SPAN_QUARTERS;
      return next * QUARTER_MS <= now ? next : undefined;
    };
    for (let place: number | undefined = first; place !== undefined; ) {
      const from: number = place;
      place = await store.read((reader) => portions.run(from, (at, spans) => step(reader, at, spans)));
    }
  };
}

function add({ tasks, started, settled }: Durations, count: durationCounts.DurationCount): void {
  tasks[count.measure] += count.tasks;
  if (count.measure === 'started') addTo(started, count);
  if (count.measure === 'replied' || count.measure === 'failed') addTo(settled, count);
}

function addTo(spread: Spread, { bucket, tasks }: BucketCount): void {
  const counts = spread[bucket];
  if (counts === undefined) spread[bucket] = [tasks];
  else counts.push(tasks);
}

const WAITING_AT_ONCE = 100;
const MOST_READS = 10;

/**
 * When the task that has waited longest was delivered; infinite if none is waiting. Tasks are listed in the order they
 * were sent, but a retry restarts the wait: it reads on until all later tasks were sent after the oldest delivery.
 */
export async function oldestDelivery(
  store: ScopedStore,
  network_id: string,
  alias: string | undefined,
): Promise<number> {
  let oldest = Number.POSITIVE_INFINITY;
  let after = 0;
  for (let reads = 0; reads < MOST_READS; reads += 1) {
    const from = after;
    const waiting = await store.read((reader) =>
      tasks.listWaiting(reader, { network_id, alias, after: from, limit: WAITING_AT_ONCE }),
    );
    oldest = Math.min(oldest, ...waiting.map(({ delivered_at }) => delivered_at));
    const last = waiting.at(-1);
    if (last === undefined || waiting.length < WAITING_AT_ONCE || last.created_at >= oldest) break;
    after = last.task_seq;
  }
  return oldest;
}

export function figuresOf({ tasks, started, settled }: Durations, oldest: number, { first, now }: Span) {
  const hours = (now - first * QUARTER_MS) / HOUR_MS;
  const { started: starts, ...ends } = tasks;
  const failures = ends.failed + ends.expired;
  const decided = ends.replied + failures; // a cancellation says nothing about the agent
  return {
    queue_age_ms: Number.isFinite(oldest) ? now - oldest : null,
    time_to_start: timesOf(starts, started),
    time_to_settle: timesOf(ends.replied + ends.failed, settled),
    settled: ends,
    failure_rate: decided === 0 ? null : failures / decided,
    settled_per_hour: Math.round((decided / hours) * 100) / 100,
  };
}

function timesOf(tasks: number, spread: Spread) {
  const counts = { [Symbol.iterator]: () => countsIn(spread) };
  return { tasks, p50_ms: percentileOf(counts, 0.5), p95_ms: percentileOf(counts, 0.95) };
}

function* countsIn(spread: Spread): Generator<BucketCount> {
  for (const [bucket, counts = []] of spread.entries()) for (const tasks of counts) yield { bucket, tasks };
}
