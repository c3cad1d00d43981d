// Locks the data directory again if its lock file is deleted while the hub runs. Otherwise a second hub could use the
// database, and a restore could replace it under this one.
import { dirname } from 'node:path';
import { RESOURCES_LOOK_MS } from '../domain/limits.ts';
import type { Log } from '../domain/log.ts';
import { AlreadyRunning, type Lock, takeLock } from '../store/file/lock.ts';
import { giveToOwnerOf, identityOf } from '../store/file/on-disk.ts';

const LOCKED_AGAIN = 'agenthub.lock was deleted while the hub runs; the hub has created and locked it again';
const TAKEN =
  'another agenthub uses this data directory, because agenthub.lock was deleted while this one runs: stop one of them';

/** Releases all locks that the hub holds. */
export function watchLock(file: string, lock: Lock, log: Log): Lock {
  const locks = [lock];
  let known = identityOf(file);
  let isLooking = false;
  let isTaken = false;
  const lockAgain = async (): Promise<void> => {
    try {
      locks.push(await takeLock(file));
      giveToOwnerOf(dirname(file), file);
      known = identityOf(file);
      isTaken = false;
      log.warn({ file }, LOCKED_AGAIN);
    } catch (error) {
      // The whole directory may be gone, which is another trouble.
      if (error instanceof AlreadyRunning && !isTaken) log.error({ file }, TAKEN);
      isTaken = error instanceof AlreadyRunning;
    }
  };
  const look = async (): Promise<void> => {
    if (isLooking || identityOf(file) === known) return;
    isLooking = true;
    await lockAgain();
    isLooking = false;
  };
  const timer = setInterval(() => void look(), RESOURCES_LOOK_MS).unref();
  return {
    release: () => {
      clearInterval(timer);
      for (const each of locks) each.release();
    },
  };
}
