// One build at a time in one checkout: a second one waits, and then finds everything up to date. The lock is a file
// with the number of the process that builds; a lock whose process is gone counts for nothing.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DIST } from './step.ts';

const LOCK = join(DIST, '.lock');
const POLL_MS = 100;

export async function alone<Result>(act: () => Promise<Result>, lock = LOCK): Promise<Result> {
  mkdirSync(dirname(lock), { recursive: true });
  while (!take(lock)) await sleep(POLL_MS);
  try {
    return await act();
  } finally {
    rmSync(lock, { force: true });
  }
}

function take(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    if (isAbandoned(lock)) rmSync(lock, { force: true });
    return false;
  }
}

/** A number that is not written yet reads as 0, which is always alive. */
function isAbandoned(lock: string): boolean {
  try {
    return !process.kill(Number(readFileSync(lock, 'utf8')), 0);
  } catch (error) {
    return hasCode(error, 'ESRCH');
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
