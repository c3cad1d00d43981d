// Faults in how time passes.
import { clockJumps } from '../clock/clock-jumps.ts';
import { sleep } from '../clock/sleep.ts';
import type { Fault } from './fault.ts';

export const CLOCK_FAULTS: readonly Fault[] = [
  {
    name: 'every missed second walked',
    file: 'server/sweeps/schedule.ts',
    find: '        begin(row);',
    put: "        for (let at = dueAt; at <= now; at += row.every) hub.log.warn({ sweep: row.name, at }, 'missed');\n        begin(row);",
    row: sleep,
    says: /log lines/,
  },
  {
    name: 'a sleep taken for silence',
    file: 'server/hub.ts',
    find: '      onWake(clock.now());',
    put: '',
    row: sleep,
    says: /the status of an agent of before: offline/,
  },
  {
    name: 'time that waits for the clock of the machine',
    file: 'server/domain/time/clock.ts',
    find: 'moment + elapsed * (1 - CLOCK_SLEW)',
    put: 'moment',
    row: clockJumps,
    says: /a task of 2 s/,
  },
  {
    name: 'records that follow the clock back',
    file: 'server/domain/time/clock.ts',
    find: 'const next = Math.max(present, ',
    put: 'const next = Math.min(present, present + ',
    row: clockJumps,
    says: /came after a later one/,
  },
];
