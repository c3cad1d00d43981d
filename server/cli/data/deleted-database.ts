// Copies the database of a running hub after its file was deleted. The hub still has it open, and Linux shows the open
// files of a process in /proc.
import {
  closeSync,
  copyFileSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { reasonOf } from '../../config/file.ts';
import { DATABASE } from '../../domain/files/data-files.ts';
import { CommandError } from '../exit-codes.ts';

type Opened = { database: string; log: string };

/**
 * Copies the database and its log to `to` and `to`-wal. Returns false if this user cannot see the open files of the
 * process, and for a process in a container or on another system than Linux.
 */
export function copyDeletedDatabase(data: string, pid: number, to: string): boolean {
  const opened = openedBy(pid, join(realpathSync(data), DATABASE));
  if (opened === undefined) return false;
  for (let tries = 1; tries <= TRIES; tries++) if (copyBoth(opened, to)) return true;
  return false;
}

/** The hub starts its log over at most once in some megabytes of writes. */
const TRIES = 10;

function openedBy(pid: number, file: string): Opened | undefined {
  const directory = `/proc/${pid}/fd`;
  const links = linksIn(directory);
  const pathOf = (path: string): string | undefined => {
    const number = links.find(([, target]) => target === path)?.[0];
    return number === undefined ? undefined : join(directory, number);
  };
  const database = pathOf(`${file} (deleted)`);
  const log = pathOf(`${file}-wal (deleted)`) ?? pathOf(`${file}-wal`);
  return database === undefined || log === undefined ? undefined : { database, log };
}

function linksIn(directory: string): [number: string, target: string][] {
  try {
    return readdirSync(directory).flatMap((number) => {
      const target = targetOf(join(directory, number));
      return target === undefined ? [] : [[number, target]];
    });
  } catch {
    return [];
  }
}

/** A file may be closed while the others are listed. */
function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
  }
}

/**
 * The log has every page that changes in the database file meanwhile, because a checkpoint only copies pages from it.
 * So the copies belong together unless the log was started over between them.
 */
function copyBoth(opened: Opened, to: string): boolean {
  try {
    const before = generationOf(opened);
    copyFileSync(opened.database, to);
    copyFileSync(opened.log, `${to}-wal`);
    return generationOf(opened) === before;
  } catch (error) {
    throw new CommandError(`cannot copy the open files of the hub to ${dirname(to)} (${reasonOf(error)})`);
  }
}

const LOG_HEADER_BYTES = 32;

/** The header of a log has a new salt each time that the log is started over. An empty log has no header. */
function generationOf({ database, log }: Opened): string {
  const header = Buffer.alloc(LOG_HEADER_BYTES);
  const descriptor = openSync(log, 'r');
  const length = readSync(descriptor, header);
  closeSync(descriptor);
  if (length > 0) return header.toString('hex');
  return String(statSync(database, { bigint: true }).mtimeNs);
}
