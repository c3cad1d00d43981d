// When each sweep runs: at intervals of the hub's own time, which no time zone, change of the clock or sleep of the machine
// disturbs. A time that was missed runs once. A sweep that is still running when its time comes again is left to finish.
import type { Millis } from '../domain/time/clock.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../domain/time/time.ts';
import { countSweep } from '../events/metrics.ts';
import type { Hub } from '../hub.ts';
import { run as endRights } from './end-rights.ts';
import { run as finishPortions } from './finish-portions.ts';
import { run as forgetAnswers } from './forget-answers.ts';
import { run as forgetEvents } from './forget-events.ts';
import { run as measureNetworks } from './measure-networks.ts';
import { run as passTime } from './pass-time.ts';
import { run as prune } from './prune.ts';
import { run as removeNetworks } from './remove-networks.ts';
import { run as writeMarks } from './write-marks.ts';
import { run as writeSigns } from './write-signs.ts';

type Sweep = (hub: Hub) => Promise<Record<string, number>>;

/** `first` is how long after the start it runs first, so that not all come at the same moment. */
export type Row = { name: string; every: Millis; first?: Millis; sweep: Sweep };

export type Schedule = { stop(): Promise<void> };

export type OtherSweeps = {
  /** Clears what the HTTP door remembers of addresses. */
  forgetAddresses: Sweep;
  /** Makes a backup when one is due. */
  backUp: Sweep;
};

const TICK_MS = SECOND_MS;

export function scheduleSweeps(hub: Hub, others: OtherSweeps): Schedule {
  const plan = planSweeps(hub, tableOf(hub, others));
  hub.clock.keepWatch();
  const ticker = setInterval(plan.tick, TICK_MS);
  return {
    stop: async () => {
      clearInterval(ticker);
      await plan.settled();
    },
  };
}

function tableOf({ settings }: Hub, { forgetAddresses, backUp }: OtherSweeps): Row[] {
  return [
    { name: 'pass-time', every: settings.sweep_seconds * SECOND_MS, sweep: passTime },
    { name: 'write-marks', every: SECOND_MS, sweep: writeMarks },
    { name: 'end-rights', every: SECOND_MS, sweep: endRights },
    { name: 'remove-networks', every: SECOND_MS, sweep: removeNetworks },
    { name: 'finish-portions', every: 15 * SECOND_MS, first: SECOND_MS, sweep: finishPortions },
    { name: 'write-signs', every: 15 * SECOND_MS, sweep: writeSigns },
    { name: 'forget-events', every: MINUTE_MS, first: 23 * SECOND_MS, sweep: forgetEvents },
    { name: 'prune', every: HOUR_MS, first: 8 * MINUTE_MS, sweep: prune },
    { name: 'measure-networks', every: 10 * MINUTE_MS, first: 13 * SECOND_MS, sweep: measureNetworks },
    { name: 'forget-addresses', every: MINUTE_MS, first: 33 * SECOND_MS, sweep: forgetAddresses },
    { name: 'back-up', every: MINUTE_MS, first: 3 * SECOND_MS, sweep: backUp },
    { name: 'forget-answers', every: 10 * MINUTE_MS, first: 43 * SECOND_MS, sweep: forgetAnswers },
  ];
}

export type Plan = {
  /** Starts what is due; to be called every second. */
  tick(): void;
  /** Waits for what runs. */
  settled(): Promise<void>;
};

export function planSweeps(hub: Hub, table: readonly Row[]): Plan {
  const start = hub.clock.now();
  const due = new Map(table.map(({ name, every, first = every }) => [name, start + first]));
  const running = new Map<string, Promise<void>>();
  const told = new Map<string, string>();
  const begin = ({ name, sweep }: Row): void => {
    if (running.has(name)) return hub.log.debug({ sweep: name }, 'a sweep takes longer than the time between two');
    running.set(name, sweepOnce(hub, told, name, sweep).finally(() => running.delete(name)));
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
  const count = (rows?: number): void => countSweep(hub.tally, name, rows, (performance.now() - start) / SECOND_MS);
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
