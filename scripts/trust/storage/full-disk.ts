// A disk for the hub alone, filled to the last byte by a file next to the database.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fill } from '../../../test/support/process/fill.ts';
import type { Row, Trial } from '../row.ts';
import { runShortages } from './shortage.ts';

/** The database grows by some 2 MiB each time. */
const mebibytesFor = (times: number): number => 64 + 4 * times;

export const fullDisk: Row = {
  name: 'full-disk',
  promise: 'with a full disk sends fail, nothing is lost, and the hub recovers',
  test: (times) =>
    `a disk of ${mebibytesFor(times)} MiB filled to the last byte ${times} times, every other time with a kill -9 while it is full`,
  target: '503 storage_full, reads continue, 0 lost',
  amounts: { least: 1, quick: 2, long: 40 },
  run: async (trial) => {
    const disk = mountSmallDisk(trial);
    if (disk === undefined) return { skipped: 'only root can mount a small disk' };
    const filler = join(disk, 'filler');
    return runShortages(trial, {
      data: join(disk, 'data'),
      begin: () => fill(filler),
      end: () => rmSync(filler, { force: true }),
    });
  },
};

function mountSmallDisk(trial: Trial): string | undefined {
  const disk = join(trial.directory(), 'disk');
  mkdirSync(disk);
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytesFor(trial.amount)}m`, 'tmpfs', disk]);
  if (status !== 0) return undefined;
  trial.atEnd(() => spawnSync('umount', ['-l', disk]));
  return disk;
}
