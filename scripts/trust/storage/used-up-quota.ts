// A limit on the size of the hub's files, set while it runs and removed again. Writes then fail differently than on a
// full disk.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Row } from '../row.ts';
import { runShortages } from './shortage.ts';

const LIMIT_KIB = 64;

export const usedUpQuota: Row = {
  name: 'used-up-quota',
  promise: 'with a used-up quota sends fail, nothing is lost, and the hub recovers',
  test: (times) =>
    `the hub's files limited to ${LIMIT_KIB} KiB (RLIMIT_FSIZE) ${times} times, every other time with a kill -9 meanwhile`,
  target: '503 storage_full, reads continue, 0 lost',
  amounts: { least: 1, quick: 2, long: 40 },
  run: async (trial) => {
    if (spawnSync('prlimit', ['--version']).status !== 0) return { skipped: 'prlimit is not installed' };
    return runShortages(trial, {
      data: join(trial.directory(), 'data'),
      begin: ({ pid }) => limitFiles(pid, String(LIMIT_KIB * 1024)),
      end: ({ pid }) => limitFiles(pid, 'unlimited'),
    });
  },
};

/** For a process that is gone there is nothing to remove. */
function limitFiles(pid: number, soft: string): void {
  spawnSync('prlimit', ['--pid', String(pid), `--fsize=${soft}:unlimited`]);
}
