// What the machine has left: space on the disk of the data, and open files for connections.
import { existsSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DATABASE } from '../../domain/files/data-files.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const MEBIBYTE = 1024 ** 2;
const LEAST_FREE = 64 * MEBIBYTE;
const ENOUGH_FREE = 1024 * MEBIBYTE;
const ENOUGH_FILES = 4_096;

/** A backup needs as much again as the database has. */
export function checkDisk(data: string): Finding {
  const { bavail, bsize } = statfsSync(nearestThere(data));
  const free = bavail * bsize;
  const database = join(data, DATABASE);
  const used = existsSync(database) ? statSync(database).size : 0;
  const says = `${sized(free)} free, ${sized(used)} taken by the database`;
  if (free < LEAST_FREE) return fail('disk', says, 'make space: writes fail when it is full');
  return free < Math.max(ENOUGH_FREE, 2 * used)
    ? warn('disk', says, 'make space: a backup needs as much again as the database')
    : ok('disk', says);
}

function nearestThere(path: string): string {
  return existsSync(path) ? path : nearestThere(dirname(path));
}

function sized(bytes: number): string {
  return bytes < 1024 * MEBIBYTE ? `${Math.ceil(bytes / MEBIBYTE)} MiB` : `${(bytes / 1024 / MEBIBYTE).toFixed(1)} GiB`;
}

/** Of this process; that of a service is its unit's. Only Linux tells. */
export function checkOpenFiles(): Finding[] {
  const limit = Number(/^Max open files +(\d+)/m.exec(textOf('/proc/self/limits'))?.[1]);
  if (Number.isNaN(limit)) return [];
  const says = `${limit} for a program started here`;
  return [
    limit < ENOUGH_FILES
      ? warn('open files', says, 'ulimit -n 65536, or LimitNOFILE=65536 in the unit: each stream takes one')
      : ok('open files', says),
  ];
}

function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
