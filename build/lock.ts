// Allows one build at a time per checkout: a second one waits, and then finds everything up to date. The lock is a file
// with the id of the building process; the lock of a process that no longer exists is ignored.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DIST } from './step.ts';

const LOCK = join(DIST, '.lock');
const POLL_MS = 100;

export async function withLock<Result>(act: () => Promise<Result>, lock = LOCK): Promise<Result> {
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

/** An id that is not written yet reads as 0, which always counts as alive. */
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
