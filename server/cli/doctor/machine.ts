// Checks the resources of the machine: free disk space for the data, and open files for connections.
import { existsSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DATABASE } from '../../domain/files/data-files.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const MEBIBYTE = 1024 ** 2;
const LEAST_FREE = 64 * MEBIBYTE;
const ENOUGH_FREE = 1024 * MEBIBYTE;
const ENOUGH_FILES = 4_096;

/** A backup needs as much space as the database. */
export function checkDisk(data: string): Finding {
  const { bavail, bsize } = statfsSync(nearestExisting(data));
  const free = bavail * bsize;
  const database = join(data, DATABASE);
  const used = existsSync(database) ? statSync(database).size : 0;
  const says = `${sized(free)} free, ${sized(used)} used by the database`;
  if (free < LEAST_FREE) return fail('disk', says, 'free up space: writes fail when the disk is full');
  return free < Math.max(ENOUGH_FREE, 2 * used)
    ? warn('disk', says, 'free up space: a backup needs as much space as the database')
    : ok('disk', says);
}

function nearestExisting(path: string): string {
  return existsSync(path) ? path : nearestExisting(dirname(path));
}

function sized(bytes: number): string {
  return bytes < 1024 * MEBIBYTE ? `${Math.ceil(bytes / MEBIBYTE)} MiB` : `${(bytes / 1024 / MEBIBYTE).toFixed(1)} GiB`;
}

/** The limit of this process, on Linux only. A service has the limit of its unit. */
export function checkOpenFiles(): Finding[] {
  const limit = Number(/^Max open files +(\d+)/m.exec(textOf('/proc/self/limits'))?.[1]);
  if (Number.isNaN(limit)) return [];
  const says = `limit ${limit} in this shell`;
  return [
    limit < ENOUGH_FILES
      ? warn('open files', says, 'ulimit -n 65536, or LimitNOFILE=65536 in the unit: each stream uses one')
      : ok('open files', says),
  ];
}

function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
