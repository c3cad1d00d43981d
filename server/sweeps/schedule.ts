// When each sweep runs. A sweep that is still running when its time comes again is left to finish.
import cron, { type Logger, type ScheduledTask } from 'node-cron';
import { SECOND_MS } from '../domain/time.ts';
import { countSweep } from '../events/tally.ts';
import type { Hub } from '../hub.ts';
import { run as endRights } from './end-rights.ts';
import { run as forgetAnswers } from './forget-answers.ts';
import { run as forgetEvents } from './forget-events.ts';
import { run as passTime } from './pass-time.ts';
import { run as prune } from './prune.ts';
import { run as writeMarks } from './write-marks.ts';
import { run as writeSigns } from './write-signs.ts';

type Sweep = (hub: Hub) => Promise<Record<string, number>>;
type Row = [when: string, name: string, sweep: Sweep];

export type Schedule = { stop(): Promise<void> };

export type OtherSweeps = {
  /** Clears what the HTTP door remembers of addresses. */
  forgetAddresses: Sweep;
  /** Makes a backup when one is due. */
  backUp: Sweep;
};

export function scheduleSweeps(hub: Hub, { forgetAddresses, backUp }: OtherSweeps): Schedule {
  const regularly = `*/${hub.settings.sweep_seconds} * * * * *`;
  const table: Row[] = [
    [regularly, 'pass-time', passTime],
    ['* * * * * *', 'write-marks', writeMarks],
    ['* * * * * *', 'end-rights', endRights],
    ['*/15 * * * * *', 'write-signs', writeSigns],
    ['23 * * * * *', 'forget-events', forgetEvents],
    ['53 7 * * * *', 'prune', prune],
    ['33 * * * * *', 'forget-addresses', forgetAddresses],
    ['3 * * * * *', 'back-up', backUp],
    ['43 */10 * * * *', 'forget-answers', forgetAnswers],
  ];
  const running = new Set<Promise<void>>();
  const told = new Map<string, string>();
  const scheduled = table.map(([when, name, sweep]) => schedule(hub, running, when, name, () => sweepOnce(hub, told, name, sweep)));
  return {
    stop: async () => {
      for (const task of scheduled) await task.destroy();
      await Promise.all(running);
    },
  };
}

function schedule(hub: Hub, running: Set<Promise<void>>, when: string, name: string, sweep: () => Promise<void>): ScheduledTask {
  const once = (): Promise<void> => {
    const run = sweep().finally(() => running.delete(run));
    running.add(run);
    return run;
  };
  return cron.schedule(when, once, { name, noOverlap: true, logger: loggerOf(hub, name) });
}

/** Left to itself, node-cron writes coloured lines of its own beside the log of a hub that was too busy for a sweep. */
function loggerOf({ log }: Hub, sweep: string): Logger {
  return {
    info: (message) => log.debug({ sweep }, message),
    warn: (message) => log.warn({ sweep }, message),
    error: (error) => log.error({ err: error, sweep }, 'a sweep could not be scheduled'),
    debug: (message) => log.debug({ sweep }, String(message)),
  };
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
