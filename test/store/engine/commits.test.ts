// Where a commit waits for the disk: on the event loop while the disk is fast, on a thread while it is slow. The disk
// is real, and the test sets its latency.
import { join } from 'node:path';
import Driver from 'libsql';
import { expect, onTestFinished, test } from 'vitest';
import { openCommits } from '../../../server/store/engine/libsql/commits.ts';
import { readElsewhere } from '../../support/process/other-process.ts';
import { temporaryDirectory } from '../../support/process/running-hub.ts';

/** A file whose commits take this many milliseconds of a manual clock. */
function openDisk() {
  const file = join(temporaryDirectory(), 'commits.db');
  const driver = new Driver(file);
  onTestFinished(() => void driver.close());
  driver.exec('PRAGMA journal_mode = wal; PRAGMA synchronous = 2; PRAGMA foreign_keys = 1');
  driver.exec(
    'CREATE TABLE rows (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES rows DEFERRABLE INITIALLY DEFERRED) STRICT',
  );
  const disk = { commitMs: 0.2, now: 0, looks: 0 };
  // Read before and after a commit.
  const elapsed = (): number => (disk.now += disk.looks++ % 2 === 0 ? 0 : disk.commitMs);
  const { commit } = openCommits(driver, elapsed);
  const begin = (): void => void driver.exec('BEGIN IMMEDIATE; INSERT INTO rows DEFAULT VALUES');
  /** Whether the commit left the event loop. On the event loop, it takes only a few promises. */
  const insert = async (): Promise<boolean> => {
    begin();
    let isDone = false;
    const committed = commit().then(() => (isDone = true));
    for (let at = 0; at < 10; at++) await Promise.resolve();
    const wasLeft = !isDone;
    await committed;
    return wasLeft;
  };
  const insertMany = async (number: number): Promise<number> => {
    let left = 0;
    for (let at = 0; at < number; at++) if (await insert()) left += 1;
    return left;
  };
  return { disk, driver, file, begin, commit, insertMany };
}

test('commits run on the event loop on a fast disk, and on a thread on a slow one, except for one in 65, until the disk is fast again', async () => {
  const { disk, file, insertMany } = openDisk();
  expect(await insertMany(20)).toBe(0);
  disk.commitMs = 4;
  expect(await insertMany(2)).toBe(0); // slightly slow does not count as slow
  expect(await insertMany(64)).toBe(64);
  expect(await insertMany(65)).toBe(64);
  disk.commitMs = 0.2;
  await insertMany(65);
  expect(await insertMany(20)).toBe(0);
  expect(readElsewhere(file, 'SELECT count(*) AS rows FROM rows')).toEqual([{ rows: 236 }]);
});

test('after one very slow commit, the next ones run on a thread', async () => {
  const { disk, insertMany } = openDisk();
  await insertMany(20);
  disk.commitMs = 100;
  await insertMany(1);
  disk.commitMs = 0.2;
  const left = await insertMany(100);
  expect(left).toBeGreaterThan(10);
  expect(left).toBeLessThan(40);
});

test('a commit that fails on the thread fails like one on the event loop', async () => {
  const { disk, driver, begin, commit, insertMany } = openDisk();
  for (const commitMs of [0.2, 4]) {
    disk.commitMs = commitMs;
    await insertMany(10);
    begin();
    driver.exec('UPDATE rows SET parent = -1 WHERE id = 1');
    await expect(commit()).rejects.toMatchObject({
      code: expect.stringMatching(/^SQLITE_CONSTRAINT/),
      rawCode: expect.any(Number),
    });
    expect(driver.inTransaction).toBe(true);
    driver.exec('ROLLBACK');
    disk.looks = 0; // a failed commit does not read the clock again
  }
  expect(driver.prepare('SELECT count(*) AS rows FROM rows').get()).toMatchObject({ rows: 20 });
});
