// Commits of the writing connection. On a fast disk a commit runs on the event loop, because handing it to a thread of
// the driver takes longer than the disk does. On a slow disk it runs on that thread, and reads, streams and new
// requests continue meanwhile.
import type Driver from 'libsql';
import AsyncDriver from 'libsql/promise';

export type Commits = {
  /** Commits the open transaction. Until it resolves, the connection must not be used. */
  commit(): Promise<void>;
};

/** Measured: a commit takes 0.2 ms on a local SSD. On the thread it takes 0.1 ms more, and 0.1 ms more CPU time. */
const SLOW_MS = 1;
/** Weight of the latest commit in the moving average. After one commit of 100 ms, the next 20 run on the thread. */
const WEIGHT = 1 / 8;
/**
 * The time of a commit on the thread includes waiting for the event loop. After this many, one commit runs on the event
 * loop to measure the disk alone.
 */
const COMMITS_PER_PROBE = 64;

export function openCommits(driver: Driver.Database, elapsed: () => number = () => performance.now()): Commits {
  let averageMs = 0;
  let onThread = 0; // commits since the last one on the event loop
  return {
    commit: async () => {
      const start = elapsed();
      const isSlow = averageMs > SLOW_MS;
      const isProbe = isSlow && onThread === COMMITS_PER_PROBE;
      if (isSlow && !isProbe) await execOnThread(driver, 'COMMIT');
      else driver.exec('COMMIT');
      onThread = isSlow && !isProbe ? onThread + 1 : 0;
      averageMs += (elapsed() - start - averageMs) * (isProbe ? 1 : WEIGHT);
    },
  };
}

/** `libsql` and `libsql/promise` keep the same native connection in `db`, so the method works on both. */
function execOnThread(driver: Driver.Database, sql: string): Promise<void> {
  return AsyncDriver.prototype.exec.call(driver, sql);
}
