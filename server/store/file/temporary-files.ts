// Names the temporary files of copies: hidden, next to the copy, with the id of the process that creates them.
import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const TEMPORARY = /^\..+\.part-\d+(-journal)?$/;

export function temporaryPathOf(to: string): string {
  return join(dirname(to), `.${basename(to)}.part-${process.pid}`);
}

/** Whether a file of this name is an unfinished copy. */
export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name);
}

/** Whether it belongs to this copy. */
export function isTemporaryOf(to: string, name: string): boolean {
  return isTemporary(name) && name.startsWith(`.${basename(to)}.part-`);
}

/** Removes the temporary files of processes that were killed. */
export function removeLeftovers(to: string): void {
  const left = readdirSync(dirname(to)).filter(
    (name) => isTemporaryOf(to, name) && !isAlive(Number(/\.part-(\d+)/.exec(name)?.[1])),
  );
  for (const name of left) rmSync(join(dirname(to), name), { force: true });
}

function isAlive(pid: number): boolean {
  try {
    return pid !== process.pid && process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
