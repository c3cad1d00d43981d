// Faults in how time passes.
import { clockJumps } from '../clock/clock-jumps.ts';
import { sleep } from '../clock/sleep.ts';
import type { Fault } from './fault.ts';

export const CLOCK_FAULTS: readonly Fault[] = [
  {
    name: 'missed seconds run one by one',
    file: 'server/sweeps/schedule.ts',
    find: '        if (row.isOwn || hub.store.isLeader()) begin(row);',
    put: "        for (let at = dueAt; at <= now; at += row.every) hub.log.warn({ sweep: row.name, at }, 'missed');\n        begin(row);",
    row: sleep,
    expected: /log lines/,
  },
  {
    name: 'a sleep counted as time offline',
    file: 'server/open-hub.ts',
    find: '(now) => void (awake.since = now)',
    put: '() => {}',
    row: sleep,
    expected: /the status of an agent of before: offline/,
  },
  {
    name: "time that waits for the machine's clock",
    file: 'server/domain/time/clock.ts',
    find: 'moment + elapsed * (1 - CLOCK_SLEW)',
    put: 'moment',
    row: clockJumps,
    expected: /a task of 2 s/,
  },
  {
    name: 'records that follow the clock back',
    file: 'server/domain/time/clock.ts',
    find: 'isUsable(present) ? Math.max(present, counting) : counting',
    put: 'isUsable(present) ? present : counting',
    row: clockJumps,
    expected: /came after a later one/,
  },
];
