// How a commit waits for the disk. On a fast one it runs on the event loop, since the way to a thread of the driver and back takes longer
// than the disk. Where commits are slow, they run on that thread, and the hub reads, streams and accepts requests meanwhile.
import type Driver from 'libsql';
import AsyncDriver from 'libsql/promise';

export type Commits = {
  /** Commits the open transaction of the connection, which nobody may use meanwhile. */
  commit(): Promise<void>;
};

/** Measured: 0.2 ms for a commit on a local SSD; 0.1 ms more, and as much CPU time, on the thread. */
const SLOW_MS = 1;
/** Of a moving average: one commit of 100 ms sends the next 20 to the thread. */
const WEIGHT = 1 / 8;
/** The times of commits on the thread include waiting for the event loop, so one in so many runs on it to measure the disk. */
const COMMITS_PER_PROBE = 64;

export function openCommits(driver: Driver.Database, elapsed: () => number = () => performance.now()): Commits {
  let averageMs = 0;
  let beside = 0; // commits on the thread since the last one on the event loop
  return {
    commit: async () => {
      const start = elapsed();
      const isSlow = averageMs > SLOW_MS;
      const isProbe = isSlow && beside === COMMITS_PER_PROBE;
      if (isSlow && !isProbe) await execBeside(driver, 'COMMIT');
      else driver.exec('COMMIT');
      beside = isSlow && !isProbe ? beside + 1 : 0;
      averageMs += (elapsed() - start - averageMs) * (isProbe ? 1 : WEIGHT);
    },
  };
}

/** Both interfaces of the driver keep the same native connection in `db`; of the other one only this method is needed. */
function execBeside(driver: Driver.Database, sql: string): Promise<void> {
  return AsyncDriver.prototype.exec.call(driver, sql);
}
