// The names of copies in the making: hidden beside the copy, with the number of the process that makes it.
import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const DRAFT = /^\..+\.part-\d+(-journal)?$/;

export function draftOf(to: string): string {
  return join(dirname(to), `.${basename(to)}.part-${process.pid}`);
}

/** Whether a file of this name is a copy that was never finished, or one still in the making. */
export function isDraft(name: string): boolean {
  return DRAFT.test(name);
}

/** Whether it is one of this copy. */
export function isDraftOf(to: string, name: string): boolean {
  return isDraft(name) && name.startsWith(`.${basename(to)}.part-`);
}

/** Of earlier tries that were killed. */
export function removeLeftDrafts(to: string): void {
  const left = readdirSync(dirname(to)).filter(
    (name) => isDraftOf(to, name) && !isAlive(Number(/\.part-(\d+)/.exec(name)?.[1])),
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
