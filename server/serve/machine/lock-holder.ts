// Finds which process uses a data directory, without the engine: the hub itself says it through its operator socket, or
// Linux knows who holds the lock.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { LOCK } from '../../domain/files/data-files.ts';
import { askOperator } from '../operator-socket.ts';

/** Both are undefined if nobody uses the directory, or if it is unknown who does. */
export type Holder = { pid?: number | undefined; url?: string | undefined };

export function usedBy(data: string, { pid, url }: Holder): string {
  const who = [...(pid === undefined ? [] : [`PID ${pid}`]), ...(url === undefined ? [] : [`at ${url}`])].join(' ');
  return `another agenthub is using this data directory (${who === '' ? '' : `${who}; `}${join(data, LOCK)} is locked)`;
}

/** How long a hub that hangs may delay the message. */
const ASK_MS = 1_000;

/** A hub that is starting or hangs does not respond; Linux still knows its process. */
export async function holderOf(data: string): Promise<Holder> {
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
