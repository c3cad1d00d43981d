// Checkpoints move the write-ahead log into the database file during writes, restart the log, and lose nothing.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readFileSync, rmSync, statSync } from 'node:fs';
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

/** How often the log has been restarted, which its header counts (bytes 12 to 15, in SQLite's file format). */
function restartsOf({ file }: TestDatabase): number {
  return readFileSync(`${file}-wal`).readUInt32BE(12);
}

/** Writes notes until the log has restarted `times` times, however slow the disk is. Returns the number of notes. */
async function noteUntilRestarted(database: TestDatabase, times = 1): Promise<number> {
  await note(database, 'note 0');
  const before = restartsOf(database);
  let written = 1;
  while (restartsOf(database) < before + times) await note(database, `note ${written++}`);
  return written;
}

test('the log restarts again and again while writes follow each other', async () => {
  const database = await openSmall();
  const written = await noteUntilRestarted(database, 5);
  expect(await notes(database)).toHaveLength(written);
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

test('after the database file was deleted, its rows can be read, writes are refused, and no file is created', async () => {
  const [maxLogPages, written] = [640, 400];
  const database = await openTestDatabase(undefined, undefined, undefined, { maxLogPages });
  for (let number = 0; number < written; number++) {
    // Just before a checkpoint, which would create another file and delete the log.
    if (statSync(`${database.file}-wal`).size > (maxLogPages - 8) * PAGE_BYTES) rmSync(database.file, { force: true });
    const isGone = !existsSync(database.file);
    const noted = note(database, `note ${number}`);
    if (isGone) await expect(noted).rejects.toMatchObject({ code: 'database_gone' });
    else await noted;
  }
  expect(existsSync(database.file)).toBe(false);
  const stored = await notes(database);
  expect(stored.length).toBeGreaterThan(100);
  expect(stored).toEqual(Array.from({ length: stored.length }, (_, number) => `note ${number}`));
  expect(database.fatal).toEqual([]);
});

test('checkpointed rows are in the database file without its log', async () => {
  const database = await openSmall();
  const written = await noteUntilRestarted(database, 2);
  const alone = join(temporaryDirectory(), 'alone.db');
  copyFileSync(database.file, alone);
  // The last write is the first of the restarted log.
  expect(countIn(alone)).toBe(written - 1);
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
  expect(statSync(`${database.file}-wal`).size).toBeGreaterThan(WRITES * PAGE_BYTES);
  expect(await outside.count()).toBe(0);
  const later = await noteUntilRestarted(database);
  expect(await notes(database)).toHaveLength(WRITES + later);
  expect(database.fatal).toEqual([]);
});
