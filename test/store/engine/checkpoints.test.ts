// Checkpoints move the write-ahead log into the database file during writes, restart the log, and lose nothing.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { note, notes, openTestDatabase, type TestDatabase } from '../../support/store/test-database.ts';
import { temporaryDirectory } from '../../support/test-hub.ts';

const PAGE_BYTES = 4096;
const MAX_LOG_PAGES = 50;
const WRITES = 2_000;

const openSmall = (): Promise<TestDatabase> =>
  openTestDatabase(undefined, undefined, undefined, { maxLogPages: MAX_LOG_PAGES });

function countIn(file: string): number {
  const database = new DatabaseSync(file);
  const { count } = database.prepare('SELECT count(*) AS count FROM audit_log').get() ?? {};
  database.close();
  return Number(count);
}

test('the log stays short however many writes follow each other', async () => {
  const database = await openSmall();
  for (let number = 0; number < WRITES; number++) await note(database, `note ${number}`);
  expect(statSync(`${database.file}-wal`).size).toBeLessThan(40 * MAX_LOG_PAGES * PAGE_BYTES);
  expect(await notes(database)).toHaveLength(WRITES);
  expect(database.fatal).toEqual([]);
});

// A checkpoint was due by the number of commits alone, and the log grew to 77 MB.
test('a checkpoint begins by the size of long texts that follow short ones', async () => {
  const maxLogPages = 1_000;
  const database = await openTestDatabase(undefined, undefined, undefined, { maxLogPages });
  for (let number = 0; number < WRITES; number++) await note(database, `note ${number}`);
  for (let number = 0; number < 30; number++) await note(database, 'long '.repeat(60_000));
  await expect.poll(() => statSync(database.file).size).toBeGreaterThan(maxLogPages * PAGE_BYTES);
});

test('checkpointed rows are in the database file without its log', async () => {
  const database = await openSmall();
  for (let number = 0; number < WRITES; number++) await note(database, `note ${number}`);
  const alone = join(temporaryDirectory(), 'alone.db');
  copyFileSync(database.file, alone);
  expect(countIn(alone)).toBeGreaterThan(WRITES / 2);
});

test('writes during a checkpoint are all stored, in order', async () => {
  const database = await openSmall();
  const senders = Array.from({ length: 8 }, async (_, sender) => {
    for (let number = 0; number < 200; number++) await note(database, `${sender} ${number}`);
  });
  await Promise.all(senders);
  const stored = await notes(database);
  expect(stored).toHaveLength(8 * 200);
  for (let sender = 0; sender < 8; sender++) {
    const own = stored.filter((action) => action.startsWith(`${sender} `));
    expect(own).toEqual(Array.from({ length: 200 }, (_, number) => `${sender} ${number}`));
  }
});

test('closing waits for a checkpoint and moves the rest', async () => {
  const database = await openSmall();
  await Promise.all(Array.from({ length: WRITES }, (_, number) => note(database, `note ${number}`)));
  await database.close();
  expect(statSync(`${database.file}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
  expect(countIn(database.file)).toBe(WRITES);
});

/** A reader in another process that holds a snapshot until it is released. */
async function readerOutside(file: string): Promise<{ count(): Promise<number> }> {
  const child = spawn(process.execPath, ['-e', OUTSIDE, file], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await lines.next();
  return {
    count: async () => {
      child.stdin.end();
      const { value } = await lines.next();
      await once(child, 'exit');
      return Number(value);
    },
  };
}

const OUTSIDE = `
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(process.argv[1]);
  const count = () => console.log(database.prepare('SELECT count(*) AS count FROM audit_log').get().count);
  database.exec('BEGIN');
  count();
  process.stdin.resume().on('end', count);`;

test('a checkpoint does not pass the snapshot of an external reader, and completes once it is released', async () => {
  const database = await openSmall();
  const outside = await readerOutside(database.file);
  for (let number = 0; number < WRITES; number++) await note(database, `note ${number}`);
  const whileRead = statSync(`${database.file}-wal`).size;
  expect(whileRead).toBeGreaterThan(WRITES * PAGE_BYTES);
  expect(await outside.count()).toBe(0);
  for (let number = 0; number < WRITES; number++) await note(database, `later ${number}`);
  expect(statSync(`${database.file}-wal`).size).toBeLessThan(whileRead + 20 * MAX_LOG_PAGES * PAGE_BYTES);
  expect(await notes(database)).toHaveLength(2 * WRITES);
  expect(database.fatal).toEqual([]);
});
