// Checks that the data directory exists and is that of a hub. The remedies of the other checks change permissions and
// owners, which would damage a directory such as /etc.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { FILE } from '../../config/file.ts';
import { BACKUPS, DATABASE, LOCK, ON_POSTGRES, RESERVE, SOCKET } from '../../domain/files/data-files.ts';
import { type Finding, fail } from '../../domain/health/finding.ts';
import { nearest } from '../../domain/text/nearest.ts';
import { holdsNoFiles, isReadOnly } from '../../serve/private-directory.ts';

/** A failure if the directory exists and belongs to something else than a hub: nothing else in it is checked. */
export function checkIsHubs(data: string): Finding | undefined {
  const names = namesIn(data);
  if (names === undefined || isHubs(data, names)) return undefined;
  return fail('data directory', `${data} is not the data directory of a hub`, `${hintFor(data)}; nothing was checked`);
}

/** A failure, because a mistyped directory looks the same as one before the first start. */
export function missingDirectory(data: string): Finding {
  return fail(
    'data directory',
    `${data} does not exist`,
    `the first start creates it; if a hub has run here before, ${hintFor(data)}`,
  );
}

/** A failure that explains all others: not even root can write there. */
export function checkIsWritable(data: string): Finding | undefined {
  const without = checkHoldsFiles(data);
  if (without !== undefined) return { ...without, remedy: `${without.remedy}; nothing was checked` };
  if (!isReadOnly(data)) return undefined;
  const mount = 'mount it read-write (dmesg may say why it is not), or choose another with --data';
  return fail('data directory', `the file system of ${data} is mounted read-only`, `${mount}; nothing was checked`);
}

/** A failure in /proc and /sys. */
export function checkHoldsFiles(data: string): (Finding & { remedy: string }) | undefined {
  if (!holdsNoFiles(data)) return undefined;
  const [says, remedy] = [`${data} cannot hold files`, 'choose another with --data'];
  return { ...fail('data directory', says, remedy), remedy };
}

export function hintFor(data: string): string {
  const near = similarDirectory(data);
  return near === undefined ? 'correct --data or AGENTHUB_DATA' : `did you mean --data ${near}?`;
}

/** Undefined if it is not a directory, or this user cannot list it: the other checks report both. */
function namesIn(data: string): string[] | undefined {
  if (statSync(data, { throwIfNoEntry: false })?.isDirectory() !== true) return undefined;
  try {
    return readdirSync(data);
  } catch {
    return undefined;
  }
}

const OWN: readonly string[] = [
  ...[DATABASE, `${DATABASE}-wal`, `${DATABASE}-journal`, RESERVE],
  ...[LOCK, ON_POSTGRES, SOCKET, FILE],
];

/** The root of a new volume is empty except for lost+found. Other programs have a directory named backups, too. */
function isHubs(data: string, names: readonly string[]): boolean {
  if (names.some((name) => OWN.includes(name))) return true;
  if (names.every((name) => name === BACKUPS || name === 'lost+found')) return true;
  return names.includes(BACKUPS) && (namesIn(join(data, BACKUPS)) ?? []).some((name) => /^agenthub-.*\.db$/.test(name));
}

const USUAL = ['/var/lib/agenthub', resolve('agenthub-data')];

/** A directory that holds a database: in it, next to it with a similar name, or a usual one. */
function similarDirectory(data: string): string | undefined {
  const inside = ['agenthub', 'agenthub-data'].map((name) => join(data, name)).find(holdsDatabase);
  if (inside !== undefined) return inside;
  const parent = dirname(data);
  const names = (namesIn(parent) ?? []).filter((name) => holdsDatabase(join(parent, name)));
  const name = nearest(basename(data), names);
  return name === undefined ? USUAL.find((each) => each !== data && holdsDatabase(each)) : join(parent, name);
}

function holdsDatabase(directory: string): boolean {
  return existsSync(join(directory, DATABASE));
}
