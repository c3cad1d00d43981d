// Migrates a file to the newest schema, and rejects unsupported files without modifying them.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createClient } from '@libsql/client';
import { expect, test } from 'vitest';
import { StartError } from '../../../server/domain/errors.ts';
import { migrate } from '../../../server/store/file/migrate.ts';
import { SCHEMA_VERSION } from '../../../server/store/file/migrations.ts';
import { killAtOnce, readElsewhere, startElsewhere } from '../../support/process/other-process.ts';
import { temporaryDirectory } from '../../support/test-hub.ts';

const newFile = (): string => join(temporaryDirectory(), 'agenthub.db');

async function execute(file: string, ...statements: string[]): Promise<void> {
  const client = createClient({ url: `file:${file}`, concurrency: 1 });
  for (const statement of statements) await client.execute(statement);
  client.close();
}

/** Every file of the database directory, byte for byte. */
function bytesOf(file: string): Record<string, string> {
  const names = readdirSync(dirname(file)).filter((name) => name.startsWith(basename(file)));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(dirname(file), name)).toString('base64')]));
}

test('a new file gets the newest schema and the agenthub application id', async () => {
  const file = newFile();
  await migrate(file);
  expect(readElsewhere(file, 'PRAGMA user_version')).toEqual([{ user_version: SCHEMA_VERSION }]);
  expect(readElsewhere(file, 'PRAGMA application_id')).toEqual([{ application_id: 0x61687562 }]);
  expect(readElsewhere(file, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  expect(readElsewhere(file, 'SELECT length(epoch) AS length FROM hub')).toEqual([{ length: 12 }]);
});

test('every table is STRICT', async () => {
  const file = newFile();
  await migrate(file);
  const loose = readElsewhere(
    file,
    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite_%'",
  );
  expect(loose).toEqual([]);
});

test('an empty file is rejected, because it may have been emptied, and stays', async () => {
  const file = newFile();
  writeFileSync(file, '');
  const refused = migrate(file);
  await expect(refused).rejects.toBeInstanceOf(StartError);
  await expect(refused).rejects.toThrow(`${file} is empty, so what it contained is lost; restore a backup`);
  expect(bytesOf(file)).toEqual({ 'agenthub.db': '' });
});

test('an empty file with a journal counts as new, because creating it was interrupted', async () => {
  const file = newFile();
  writeFileSync(file, '');
  writeFileSync(`${file}-journal`, '');
  await migrate(file);
  expect(readElsewhere(file, 'PRAGMA user_version')).toEqual([{ user_version: SCHEMA_VERSION }]);
});

test('a new file that cannot be filled is removed, so that the next start can try again', async () => {
  const file = newFile();
  mkdirSync(`${file}-journal`); // SQLite cannot create its journal
  await expect(migrate(file)).rejects.toBeInstanceOf(StartError);
  expect(readdirSync(dirname(file))).toEqual(['agenthub.db-journal']);
});

test('a second run changes nothing', async () => {
  const file = newFile();
  await migrate(file);
  const before = bytesOf(file);
  await migrate(file);
  expect(bytesOf(file)).toEqual(before);
});

test('a newer file is rejected with a one-line error that names both versions, and stays unchanged byte for byte', async () => {
  const file = newFile();
  await migrate(file);
  await execute(file, `PRAGMA user_version = ${SCHEMA_VERSION + 6}`);
  const before = bytesOf(file);
  const refused = migrate(file);
  await expect(refused).rejects.toBeInstanceOf(StartError);
  await expect(refused).rejects.toThrow(
    new RegExp(`has schema ${SCHEMA_VERSION + 6}, .* supports schemas up to ${SCHEMA_VERSION};`),
  );
  expect(bytesOf(file)).toEqual(before);
});

const LEAVE_A_LOG = `
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(process.argv[1]);
  database.exec('PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0; ' + process.argv[2]);
  console.log('written');
  setInterval(() => {}, 1_000);
`;

test('a newer file that a killed hub left with a log is rejected, with both files unchanged', async () => {
  const file = newFile();
  await migrate(file);
  await killAtOnce(await startElsewhere(LEAVE_A_LOG, [file, `PRAGMA user_version = ${SCHEMA_VERSION + 1}`]));
  const before = bytesOf(file);
  expect(Object.keys(before)).toContain('agenthub.db-wal');
  await expect(migrate(file)).rejects.toBeInstanceOf(StartError);
  const { 'agenthub.db': database, 'agenthub.db-wal': log } = bytesOf(file);
  expect({ database, log }).toEqual({ database: before['agenthub.db'], log: before['agenthub.db-wal'] });
});

test.each<[string, string[]]>([
  ['with a table', ['CREATE TABLE songs (title TEXT)']],
  [
    'with a schema version like agenthub’s',
    ['CREATE TABLE songs (title TEXT)', `PRAGMA user_version = ${SCHEMA_VERSION}`],
  ],
  ['with another application id', ['CREATE TABLE songs (title TEXT)', 'PRAGMA application_id = 42']],
  [
    'with another application id and a newer schema',
    ['CREATE TABLE songs (title TEXT)', 'PRAGMA application_id = 42', 'PRAGMA user_version = 99'],
  ],
])("another program's database %s is rejected and not modified", async (_, statements) => {
  const file = newFile();
  await execute(file, ...statements);
  const before = bytesOf(file);
  const refused = migrate(file);
  await expect(refused).rejects.toBeInstanceOf(StartError);
  await expect(refused).rejects.toThrow('is a database of another program; choose another data directory with --data');
  expect(bytesOf(file)).toEqual(before);
});

test.each([
  ['a text file', 'these are notes about songs, and no database at all\n'.repeat(40)],
  ['a few bytes', 'hello'],
])('%s under that name is rejected with a one-line error and not modified', async (_, content) => {
  const file = newFile();
  writeFileSync(file, content);
  const refused = migrate(file);
  await expect(refused).rejects.toBeInstanceOf(StartError);
  await expect(refused).rejects.toThrow(file);
  expect(readFileSync(file, 'utf8')).toBe(content);
});
