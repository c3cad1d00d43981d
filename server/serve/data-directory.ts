// Opens the data directory: makes it private, checks that it belongs to agenthub, and locks it for one hub.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASE, LOCK } from '../domain/files/data-files.ts';
import { assertHeader, assertOurs } from '../store/file/identity.ts';
import { assertIntact } from '../store/file/integrity.ts';
import { AlreadyRunning, type Lock, takeLock } from '../store/file/lock.ts';
import { giveToOwnerOf } from '../store/file/on-disk.ts';
import { askOperator } from './operator-socket.ts';
import { makeDirectory } from './private-directory.ts';

export type DataDirectory = {
  databaseFile: string;
  lock: Lock;
  /** Whether the full integrity check ran; a large database is checked only in part. */
  isChecked: boolean;
  /** Whether there was no database; after it is created, it must belong to the owner of the directory. */
  isNew: boolean;
  /** Whether a hub has been started here before. */
  isUsed: boolean;
};

/** Locks the directory regardless of its contents, for a command that replaces the database. */
export async function claimDataDirectory(path: string): Promise<Pick<DataDirectory, 'databaseFile' | 'lock'>> {
  makeDirectory(path);
  return { databaseFile: join(path, DATABASE), lock: await lockDirectory(path) };
}

/** Its files are private to the owner: the umask of the process is set before any file is created. */
export async function openDataDirectory(path: string): Promise<DataDirectory> {
  makeDirectory(path);
  const databaseFile = join(path, DATABASE);
  // Checked before locking, so that a directory of another program is left unchanged.
  const isThere = existsSync(databaseFile);
  if (isThere) await assertOurs(databaseFile);
  else assertHeader(databaseFile);
  const isUsed = existsSync(join(path, LOCK));
  const lock = await lockDirectory(path);
  return { databaseFile, lock, isChecked: !isThere || (await assertIntact(databaseFile)), isNew: !isThere, isUsed };
}

/** Whether a hub is running on the directory. Returns false if the lock cannot be checked. Changes nothing. */
export async function isInUse(path: string): Promise<boolean> {
  const file = join(path, LOCK);
  if (!existsSync(file)) return false;
  try {
    (await takeLock(file)).release();
    return false;
  } catch (error) {
    return error instanceof AlreadyRunning;
  }
}

async function lockDirectory(path: string): Promise<Lock> {
  const file = join(path, LOCK);
  const isNew = !existsSync(file);
  const lock = await takeLock(file).catch(async (error: unknown) => {
    throw error instanceof AlreadyRunning ? inUse(file, await holderOf(path)) : error;
  });
  if (isNew && existsSync(file)) giveToOwnerOf(path, file);
  return lock;
}

type Holder = { pid?: number | undefined; url?: string | undefined };

function inUse(file: string, { pid, url }: Holder): AlreadyRunning {
  const who = [...(pid === undefined ? [] : [`PID ${pid}`]), ...(url === undefined ? [] : [`at ${url}`])].join(' ');
  return new AlreadyRunning(
    `another agenthub is using this data directory (${who === '' ? '' : `${who}; `}${file} is locked); stop it, or choose another with --data`,
  );
}

/** How long a hub that hangs may delay the message. */
const ASK_MS = 1_000;

/** A hub that is starting or hangs does not respond; Linux still knows its process. */
async function holderOf(data: string): Promise<Holder> {
  try {
    const { status, text } = await askOperator(
      data,
      { operation: 'hub address', input: {} },
      AbortSignal.timeout(ASK_MS),
    );
    const { pid, url } = status === 200 ? JSON.parse(text) : {};
    if (typeof pid === 'number') return { pid, url: typeof url === 'string' ? url : undefined };
  } catch {
    // The message names what is known.
  }
  return { pid: lockingProcess(join(data, LOCK)) };
}

const PROC_LOCK = /^\d+: POSIX +ADVISORY +WRITE (\d+) (\w+):(\w+):(\d+) /;

/** Undefined if the process is in another container, and on other systems than Linux. */
function lockingProcess(file: string): number | undefined {
  try {
    const { dev, ino } = statSync(file);
    const rows = readFileSync('/proc/locks', 'utf8').split('\n');
    const row = rows
      .map((line) => PROC_LOCK.exec(line))
      .find((found) => found !== null && deviceOf(found) === dev && Number(found[4]) === ino);
    const pid = Number(row?.[1]);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** As `stat` shows it: Linux keeps the lowest 8 bits of the minor number below the major number. */
function deviceOf([, , major = '', minor = '']: readonly string[]): number {
  const [high, low] = [Number.parseInt(major, 16), Number.parseInt(minor, 16)];
  return (high << 8) | (low & 0xff) | ((low & ~0xff) << 12);
}
