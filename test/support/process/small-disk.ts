// A data directory on a separate disk, which a test can fill to the last byte. Only root can mount one.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { fill } from './fill.ts';
import { isJailed } from './hub-process.ts';
import { temporaryDirectory } from './running-hub.ts';

export const isLinuxRoot = process.platform === 'linux' && process.getuid?.() === 0;
/** Where a process of the tests and the hub see the same mounts. */
export const canMount = isLinuxRoot && !isJailed;

export type SmallDisk = { data: string; fill(): void; free(): void };

/** 32 MiB. */
export function smallDisk(): SmallDisk {
  const disk = temporaryDirectory();
  expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=32m', 'tmpfs', disk]).status).toBe(0);
  onTestFinished(() => void spawnSync('umount', ['-l', disk]));
  const [data, filler] = [join(disk, 'data'), join(disk, 'filler')];
  mkdirSync(data, { mode: 0o700 });
  return { data, fill: () => fill(filler), free: () => rmSync(filler) };
}
