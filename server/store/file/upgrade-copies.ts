// The copies of a database from before its upgrades, in `backups/`: agenthub-before-schema-13.db, and with a number if the
// database was taken back and upgraded again. None replaces another.
import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BACKUPS } from '../../domain/files/data-files.ts';
import { MEBIBYTE } from '../../domain/limits.ts';

/** The first name that is free. */
export function nextCopyOf(file: string, toVersion: number): string {
  const name = join(dirname(file), BACKUPS, `agenthub-before-schema-${toVersion}`);
  for (let number = 1; ; number++) {
    const path = number === 1 ? `${name}.db` : `${name}-${number}.db`;
    if (!existsSync(path)) return path;
  }
}

const COPY = /^agenthub-before-schema-\d+(-\w+)?\.db$/;

/** Newest first. */
export function copiesOf(file: string): string[] {
  const directory = join(dirname(file), BACKUPS);
  return namesIn(directory)
    .filter((name) => COPY.test(name))
    .map((name) => join(directory, name))
    .map((path) => ({ path, found: statSync(path, { throwIfNoEntry: false }) }))
    .flatMap(({ path, found }) => (found?.isFile() ? [{ path, at: found.mtimeMs }] : []))
    .sort((one, other) => other.at - one.at)
    .map(({ path }) => path);
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** Whether two files have the same bytes. */
export function areSame(one: string, other: string): boolean {
  if (statSync(one).size !== statSync(other).size) return false;
  const descriptors = [openSync(one, 'r'), openSync(other, 'r')] as const;
  const [first, second] = [Buffer.alloc(MEBIBYTE), Buffer.alloc(MEBIBYTE)];
  try {
    for (;;) {
      const length = readSync(descriptors[0], first);
      if (length !== readSync(descriptors[1], second)) return false;
      if (length === 0) return true;
      if (!first.subarray(0, length).equals(second.subarray(0, length))) return false;
    }
  } finally {
    descriptors.forEach(closeSync);
  }
}
