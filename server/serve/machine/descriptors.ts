// The open file descriptors of this process and their limit, which Node has raised to the hard limit at its start. The
// limit can change while the hub runs.
import { closeSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { devNull } from 'node:os';

/** `open` is the number now in use, `max` the limit. */
export type Descriptors = { open: number; max: number };

/** Undefined where it is unknown. */
export function readDescriptors(): Descriptors | undefined {
  const max = openFilesLimit();
  if (max === undefined) return undefined;
  return { open: countOpen() ?? max, max };
}

/** Undefined where it is unknown. */
export function openFilesLimit(): number | undefined {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined;
  }
}

const OPEN = '/proc/self/fd';

/** Since Linux 6.2, the size of the directory is the number of entries. Undefined if it cannot be opened to count. */
function countOpen(): number | undefined {
  const { size } = statSync(OPEN);
  if (size > 0) return size;
  try {
    return readdirSync(OPEN).length - 1; // without the one for reading
  } catch {
    return undefined;
  }
}

/** Whether the process or the system has run out of file descriptors. */
export function isOutOfDescriptors(): boolean {
  try {
    closeSync(openSync(devNull, 'r'));
    return false;
  } catch (error) {
    return isShortage(error);
  }
}

/** EMFILE is the limit of the process, ENFILE the limit of the system. */
export function isShortage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE');
}
