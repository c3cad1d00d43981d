// Opening and closing the database: the settings for durable writes, how values are bound, and what close leaves.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Database } from '../../../server/store/engine/database.ts';
import { connect } from '../../../server/store/engine/libsql/connection.ts';
import { openFile } from '../../../server/store/engine/libsql/database.ts';
import type { SqlValue } from '../../../server/store/engine/transaction.ts';
import { assertOurs } from '../../../server/store/file/identity.ts';
import { takeLock } from '../../../server/store/file/lock.ts';
import { migrate } from '../../../server/store/file/migrate.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { readElsewhere } from '../../support/process/other-process.ts';
import { note, notes, openTestDatabase } from '../../support/store/test-database.ts';
import { temporaryDirectory } from '../../support/test-hub.ts';

function open(file: string): Promise<Database> {
  return openFile({ database: file, clock: manualClock(), publish: () => {}, onError: () => {}, onFatal: () => {} });
}

test.skipIf(process.platform !== 'linux')('a database that was checked several times holds its lock', async () => {
  const file = join(temporaryDirectory(), 'agenthub.db');
  await migrate(file);
  await assertOurs(file);
  await migrate(file);
  const database = await open(file);
  await database.read(async (reader) => reader.first('SELECT count(*) FROM tasks'));
  await assertOurs(file);
  const { ino } = statSync(file);
  const locks = readFileSync('/proc/locks', 'utf8').split('\n');
  expect(locks.filter((line) => line.includes(` ${process.pid} `) && line.includes(`:${ino} `))).not.toEqual([]);
  await database.close();
});

describe('each connection has every required setting', () => {
  test.each([
    ['journal_mode', 'wal'],
    ['synchronous', 2],
    ['foreign_keys', 1],
    ['temp_store', 2],
    ['trusted_schema', 0],
    ['cell_size_check', 1],
    ['cache_size', -16_000],
    ['journal_size_limit', 67_108_864],
  ])('%s is %s', async (name, wanted) => {
    const database = await openTestDatabase();
    const ofWriter = await database.write((tx) => tx.first<Record<string, SqlValue>>(`PRAGMA ${name}`));
    const ofReader = await database.read((reader) => reader.first<Record<string, SqlValue>>(`PRAGMA ${name}`));
    expect(Object.values(ofWriter ?? {})).toContain(wanted);
    expect(Object.values(ofReader ?? {})).toContain(wanted);
  });

  test('only the reader is query_only', async () => {
    const database = await openTestDatabase();
    expect(await database.read((reader) => reader.first('PRAGMA query_only'))).toMatchObject({ query_only: 1 });
    expect(await database.write((tx) => tx.first('PRAGMA query_only'))).toMatchObject({ query_only: 0 });
  });

  test('a setting that the database does not apply is an error', () => {
    const file = join(temporaryDirectory(), 'agenthub.db');
    expect(() => connect(file, { page_size: 12_345 })).toThrow(
      'the database refused PRAGMA page_size = 12345 (it is 4096)',
    );
  });
});

describe('a value keeps its type', () => {
  test.each<[SqlValue, string]>([
    [0, 'integer'],
    [-1, 'integer'],
    [1_768_478_400_000, 'integer'],
    [Number.MAX_SAFE_INTEGER, 'integer'],
    [0.5, 'real'],
    [1e300, 'real'],
    ['1', 'text'],
    ['', 'text'],
    [null, 'null'],
  ])('%j as %s, and is read back unchanged', async (value, type) => {
    const database = await openTestDatabase();
    const found = await database.write((tx) =>
      tx.first<{ type: string; value: SqlValue }>('SELECT typeof(?1) AS type, ?1 AS value', [value]),
    );
    expect({ ...found }).toEqual({ type, value });
  });
});

describe('close', () => {
  test('waits for queued writes, and leaves them in the database file with the log empty', async () => {
    const file = join(temporaryDirectory(), 'agenthub.db');
    await migrate(file);
    const database = await open(file);
    const writes = Array.from({ length: 600 }, (_, index) => note(database, `note ${index}`));
    const read = notes(database);
    await database.close();
    expect(await Promise.all(writes)).toHaveLength(600);
    expect(Array.isArray(await read)).toBe(true);
    expect(existsSync(`${file}-wal`) ? statSync(`${file}-wal`).size : 0).toBe(0);
    expect(readElsewhere(file, 'SELECT count(*) AS count FROM audit_log')).toEqual([{ count: 600 }]);
  });

  test('does not wait when the queue is empty', async () => {
    const file = join(temporaryDirectory(), 'agenthub.db');
    await migrate(file);
    const database = await open(file);
    await expect(database.close()).resolves.toBeUndefined();
  });
});

describe('the data directory can have any name', () => {
  test.each([
    'plain',
    'with blank',
    '100% real',
    'hash#tag',
    'why?',
    'ünïcödé',
    '数据',
    "o'clock",
    'a+b&c=d',
    'a;b',
    '🗄',
  ])('%s', async (name) => {
    const parent = temporaryDirectory();
    const directory = join(parent, name);
    mkdirSync(directory);
    const lock = await takeLock(join(directory, 'agenthub.lock'));
    await migrate(join(directory, 'agenthub.db'));
    const database = await open(join(directory, 'agenthub.db'));
    await note(database, 'kept');
    await database.close();
    lock.release();
    expect(readdirSync(parent)).toEqual([name]);
    expect(readdirSync(directory)).toEqual(expect.arrayContaining(['agenthub.db', 'agenthub.lock']));
    expect(readElsewhere(join(directory, 'agenthub.db'), 'SELECT action FROM audit_log')).toEqual([{ action: 'kept' }]);
  });
});
