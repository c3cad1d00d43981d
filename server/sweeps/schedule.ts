// When each sweep runs: at intervals of the hub's own time, which no time zone, change of the clock or sleep of the
// machine disturbs. A time that was missed runs once. A sweep that is still running when its time comes again is left
// to finish.
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
  /** Starts what is due; to be called every second. */
  tick(): void;
  /** Waits for what runs. */
  settled(): Promise<void>;
};

export function planSweeps(hub: Hub, table: readonly SweepRow[]): Plan {
  const start = hub.clock.now();
  const due = new Map(table.map(({ name, every, first = every }) => [name, start + first]));
  const running = new Map<string, Promise<void>>();
  const told = new Map<string, string>();
  const begin = ({ name, sweep }: SweepRow): void => {
    if (running.has(name)) return hub.log.debug({ sweep: name }, 'a sweep takes longer than the time between two');
    running.set(
      name,
      sweepOnce(hub, told, name, sweep).finally(() => running.delete(name)),
    );
  };
  return {
    tick: () => {
      const now = hub.clock.now() + TICK_MS / 2; // the nearest tick is the right one
      for (const row of table) {
        const dueAt = due.get(row.name) ?? now;
        if (dueAt > now) continue;
        due.set(row.name, nextAfter(now, dueAt, row.every));
        begin(row);
      }
    },
    settled: async () => void (await Promise.all(running.values())),
  };
}

/** The first in its series that is still to come. */
function nextAfter(now: Millis, dueAt: Millis, every: Millis): Millis {
  return dueAt + every * (Math.floor((now - dueAt) / every) + 1);
}

/** On a full disk a sweep fails every second: the same error is told once, until the sweep succeeds again. */
export async function sweepOnce(hub: Hub, told: Map<string, string>, name: string, sweep: Sweep): Promise<void> {
  const start = performance.now();
  const count = (rows?: number): void => countSweep(hub.metrics, name, rows, (performance.now() - start) / SECOND_MS);
  try {
    const counts = await sweep(hub);
    count(Object.values(counts).reduce((sum, rows) => sum + rows, 0));
    if (Object.values(counts).some((count) => count > 0)) hub.log.debug({ sweep: name, ...counts }, 'swept');
    if (told.delete(name)) hub.log.info({ sweep: name }, 'a sweep succeeds again');
  } catch (error) {
    count();
    if (told.get(name) === String(error)) return;
    told.set(name, String(error));
    hub.log.error({ err: error, sweep: name }, 'a sweep failed');
  }
}
