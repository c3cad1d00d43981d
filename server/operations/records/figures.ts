// The figures of an agent or a network: how fast tasks are started and settled, and how many fail. Read from counters,
// never from tasks, except for the longest wait.
import type { Millis } from '../../domain/time/clock.ts';
import { percentileOf } from '../../domain/time/duration-buckets.ts';
import { HOUR_MS, timestamp } from '../../domain/time/time.ts';
import * as durationCounts from '../../store/counts/duration-counts.ts';
import type { ScopedStore } from '../../store/engine/database.ts';
import * as tasks from '../../store/tasks.ts';

const { QUARTER_MS } = durationCounts;

/** Whole quarters of an hour, and the last one up to now. */
export type Span = { first: number; now: Millis };

export function spanOf(hours: number, now: Millis): Span {
  return { first: Math.floor((now - hours * HOUR_MS) / QUARTER_MS), now };
}

export function boundsOf({ first, now }: Span) {
  return { since: timestamp(first * QUARTER_MS), until: timestamp(now) };
}

/**
 * A busy network fills thousands of rows in six hours, and so do ten busy agents: other requests run between the
 * reads.
 */
const QUARTERS_AT_ONCE = 24;
const ALIASES_AT_ONCE = 10;

/** Lists the counts of each alias. An alias without tasks has none. */
export async function countsOf(
  store: ScopedStore,
  network_id: string,
  aliases: readonly string[],
  { first, now }: Span,
): Promise<durationCounts.DurationCount[]> {
  const counts: durationCounts.DurationCount[] = [];
  for (let at = 0; at < aliases.length; at += ALIASES_AT_ONCE) {
    const whose = { network_id, aliases: aliases.slice(at, at + ALIASES_AT_ONCE) };
    for (let from = first; from * QUARTER_MS <= now; from += QUARTERS_AT_ONCE) {
      const start = from;
      counts.push(
        ...(await store.read((reader) => durationCounts.listBetween(reader, whose, start, start + QUARTERS_AT_ONCE))),
      );
    }
  }
  return counts;
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

export function figuresOf(counts: readonly durationCounts.DurationCount[], oldest: number, { first, now }: Span) {
  const hours = (now - first * QUARTER_MS) / HOUR_MS;
  const of = (...measures: durationCounts.Measure[]) => counts.filter(({ measure }) => measures.includes(measure));
  const number = (measure: durationCounts.Measure) => of(measure).reduce((sum, { tasks }) => sum + tasks, 0);
  const settled = {
    replied: number('replied'),
    failed: number('failed'),
    cancelled: number('cancelled'),
    expired: number('expired'),
  };
  const failures = settled.failed + settled.expired;
  const decided = settled.replied + failures; // a cancellation says nothing about the agent
  return {
    queue_age_ms: Number.isFinite(oldest) ? now - oldest : null,
    time_to_start: timesOf(of('started')),
    time_to_settle: timesOf(of('replied', 'failed')),
    settled,
    failure_rate: decided === 0 ? null : failures / decided,
    settled_per_hour: Math.round((decided / hours) * 100) / 100,
  };
}

function timesOf(counts: readonly durationCounts.DurationCount[]) {
  return {
    tasks: counts.reduce((sum, { tasks }) => sum + tasks, 0),
    p50_ms: percentileOf(counts, 0.5),
    p95_ms: percentileOf(counts, 0.95),
  };
}
