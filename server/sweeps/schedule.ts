// Schedules the sweeps at intervals of the hub's clock, which time zones, clock changes and sleep do not disturb. A
// missed run happens once. A sweep that still runs when it is due again is left to finish.

import { isStoringNothing } from '../domain/health/troubles.ts';
import type { Millis } from '../domain/time/clock.ts';
import { SECOND_MS } from '../domain/time/time.ts';
import { countSweep } from '../events/metrics.ts';
import type { Hub } from '../hub.ts';
import { type OtherSweeps, type Sweep, type SweepRow, sweepsOf } from './sweeps.ts';

export type Schedule = { stop(): Promise<void> };

const TICK_MS = SECOND_MS;

export function scheduleSweeps(hub: Hub, others: OtherSweeps): Schedule {
  const plan = planSweeps(hub, sweepsOf(hub, others));
  hub.clock.keepWatch();
  const ticker = setInterval(plan.tick, TICK_MS);
  return {
    stop: async () => {
      clearInterval(ticker);
      await plan.settled();
    },
  };
}

export type Plan = {
  /** Starts the sweeps that are due. Call it every second. */
  tick(): void;
  /** Waits for the running sweeps. */
  settled(): Promise<void>;
};

export function planSweeps(hub: Hub, table: readonly SweepRow[]): Plan {
  const start = hub.clock.now();
  const due = new Map(table.map(({ name, every, first = every }) => [name, start + first]));
  const running = new Map<string, Promise<void>>();
  const reported = new Map<string, string>();
  const begin = ({ name, sweep }: SweepRow): void => {
    if (running.has(name)) return hub.log.debug({ sweep: name }, 'sweep still running when due again');
    running.set(
      name,
      sweepOnce(hub, reported, name, sweep).finally(() => running.delete(name)),
    );
  };
  return {
    tick: () => {
      const now = hub.clock.now() + TICK_MS / 2; // rounds to the nearest tick
      for (const row of table) {
        const dueAt = due.get(row.name) ?? now;
        if (dueAt > now) continue;
        due.set(row.name, nextAfter(now, dueAt, row.every));
        if (row.isOwn || hub.store.isLeader()) begin(row);
      }
    },
    settled: async () => void (await Promise.all(running.values())),
  };
}

/** The next moment of the series after now. */
function nextAfter(now: Millis, dueAt: Millis, every: Millis): Millis {
  return dueAt + every * (Math.floor((now - dueAt) / every) + 1);
}

/**
 * A sweep may fail every second: the same error is logged once, until the sweep succeeds again. A full disk is a
 * trouble of the hub, which logs it.
 */
export async function sweepOnce(hub: Hub, reported: Map<string, string>, name: string, sweep: Sweep): Promise<void> {
  const start = performance.now();
  const count = (rows?: number): void => countSweep(hub.metrics, name, rows, (performance.now() - start) / SECOND_MS);
  try {
    const counts = await sweep(hub);
    if (counts === undefined) return;
    count(Object.values(counts).reduce((sum, rows) => sum + rows, 0));
    if (Object.values(counts).some((count) => count > 0)) hub.log.debug({ sweep: name, ...counts }, 'sweep finished');
    if (reported.delete(name)) hub.log.info({ sweep: name }, 'sweep recovered');
  } catch (error) {
    count();
    if (isStoringNothing(error)) return;
    if (reported.get(name) === String(error)) return;
    reported.set(name, String(error));
    hub.log.error({ err: error, sweep: name }, 'sweep failed');
  }
}
