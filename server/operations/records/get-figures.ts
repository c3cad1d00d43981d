// How fast tasks are started and settled, and how many fail, for an agent or a network. Read from counters, never from
// tasks, except for the longest wait.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { MAX_FIGURES_HOURS } from '../../domain/limits.ts';
import { percentileOf } from '../../domain/time/duration-buckets.ts';
import { HOUR_MS, timestamp } from '../../domain/time/time.ts';
import * as durationCounts from '../../store/counts/duration-counts.ts';
import type { ScopedStore } from '../../store/engine/database.ts';
import * as tasks from '../../store/tasks.ts';
import { readCurrent } from '../expiry.ts';
import { operation } from '../operation.ts';

const { QUARTER_MS, WHOLE_NETWORK } = durationCounts;

export const getFigures = operation({
  name: 'get_figures',
  summary: 'Show the longest wait, times to start and settle, failure rate and throughput of an agent or a network.',
  access: 'read',
  input: v.object({
    alias: v.optional(fields.alias),
    hours: v.optional(fields.wholeNumberFrom(1, MAX_FIGURES_HOURS), 1),
    network_id: fields.networkId,
  }),
  run: async (hub, caller, { alias, hours }, { store }) => {
    const now = await readCurrent(hub, store, async (reader) => reader.now);
    const first = Math.floor((now - hours * HOUR_MS) / QUARTER_MS);
    const counts: durationCounts.DurationCount[] = [];
    const deliveries: number[] = [];
    for (const network_id of caller.networks) {
      counts.push(...(await countsOf(store, { network_id, alias: alias ?? WHOLE_NETWORK }, first, now)));
      deliveries.push(...(await oldestDelivery(store, network_id, alias)));
    }
    const oldest = Math.min(...deliveries);
    return {
      ok: true,
      since: timestamp(first * QUARTER_MS),
      until: timestamp(now),
      queue_age_ms: Number.isFinite(oldest) ? now - oldest : null,
      ...figuresOf(counts, (now - first * QUARTER_MS) / HOUR_MS),
    };
  },
});

/** Six hours per read, so that other requests run in between: a busy network fills thousands of rows in six hours. */
const QUARTERS_AT_ONCE = 24;

async function countsOf(
  store: ScopedStore,
  whose: { network_id: string; alias: string },
  first: number,
  now: number,
): Promise<durationCounts.DurationCount[]> {
  const counts: durationCounts.DurationCount[] = [];
  for (let from = first; from * QUARTER_MS <= now; from += QUARTERS_AT_ONCE) {
    const start = from;
    counts.push(
      ...(await store.read((reader) => durationCounts.listBetween(reader, whose, start, start + QUARTERS_AT_ONCE))),
    );
  }
  return counts;
}

const WAITING_AT_ONCE = 100;
const MOST_READS = 10;

/**
 * When the task that has waited longest was delivered; empty if none is waiting. Tasks are listed in the order they
 * were sent, but a retry restarts the wait: it reads on until all later tasks were sent after the oldest delivery.
 */
async function oldestDelivery(store: ScopedStore, network_id: string, alias: string | undefined): Promise<number[]> {
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
  return Number.isFinite(oldest) ? [oldest] : [];
}

function figuresOf(counts: readonly durationCounts.DurationCount[], hours: number) {
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
