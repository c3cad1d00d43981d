// A PostgreSQL database that a hub is about to open: it is created once, or refused in one line and left as it was.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { prepare } from '../../../server/store/engine/postgres/prepare.ts';
import { TABLES as KNOWN } from '../../../server/store/engine/postgres/schema.ts';
import { createDatabase } from '../../support/store/new-database.ts';
import { createEmptyPostgres, SERVER } from '../../support/store/postgres.ts';
import { temporaryDirectory } from '../../support/test-hub.ts';

async function ask(url: string, sql: string): Promise<unknown[]> {
  const client = new Client(url);
  await client.connect();
  const { rows } = await client.query(sql);
  await client.end();
  return rows;
}

/** Without what only several hubs need. */
const COLUMNS = {
  libsql: `SELECT m.name AS table_name, c.name AS column_name FROM sqlite_schema m JOIN pragma_table_xinfo(m.name) c
    WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY 1, 2`,
  postgres: `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'
    AND table_name NOT IN ('hubs', 'commits') AND NOT (table_name = 'hub' AND column_name IN ('schema_version', 'needed_version', 'seq', 'clock'))
    ORDER BY table_name COLLATE "C", column_name COLLATE "C"`,
};
const INDEXES = {
  libsql: "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY 1",
  postgres: `SELECT i.relname AS name FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
    WHERE i.relnamespace = 'public'::regnamespace AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conindid = i.oid)
    ORDER BY i.relname COLLATE "C"`,
};
const TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1";

describe.skipIf(SERVER === undefined)('a PostgreSQL database', () => {
  test('is created by one of the hubs that start at once, and then stays as it is', async () => {
    const url = await createEmptyPostgres();
    const started = await Promise.all(Array.from({ length: 4 }, () => prepare(url)));
    expect(started.map(({ others, newest }) => [others, newest])).toEqual(Array(4).fill([0, 0]));
    const hub = await ask(url, 'SELECT * FROM hub');
    await prepare(url);
    expect(await ask(url, 'SELECT * FROM hub')).toEqual(hub);
  });

  test('has the tables, columns and indexes of a file', async () => {
    const [url, file] = [await createEmptyPostgres(), join(temporaryDirectory(), 'agenthub.db')];
    await prepare(url);
    await createDatabase(file);
    const sqlite = new DatabaseSync(file, { readOnly: true });
    onTestFinished(() => sqlite.close());
    expect(await ask(url, COLUMNS.postgres)).toEqual(sqlite.prepare(COLUMNS.libsql).all());
    expect(await ask(url, TABLES)).toEqual(KNOWN.toSorted().map((tablename) => ({ tablename })));
    expect(await ask(url, INDEXES.postgres)).toEqual(sqlite.prepare(INDEXES.libsql).all());
  });

  test('with other tables is refused', async () => {
    const url = await createEmptyPostgres();
    await ask(url, 'CREATE TABLE visitors (name text)');
    await expect(prepare(url)).rejects.toThrow(
      /^the database has tables, but none of agenthub \(visitors\); name an empty database/,
    );
    expect(await ask(url, TABLES)).toEqual([{ tablename: 'visitors' }]);
  });

  test('of a newer version is refused once it is contracted', async () => {
    const url = await createEmptyPostgres();
    await prepare(url);
    await ask(url, 'UPDATE hub SET schema_version = 99, needed_version = 99');
    await expect(prepare(url)).rejects.toThrow(
      /^the database has schema 99, from a newer agenthub; this one knows \d+; use the newer one$/,
    );
  });

  test('that takes no writes is refused', async () => {
    const url = await createEmptyPostgres();
    await ask(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = on`);
    await expect(prepare(url)).rejects.toThrow(/ is read-only; name the server that takes writes$/);
    expect(await ask(url, TABLES)).toEqual([]);
  });

  test.each([
    ['that does not exist', (url: URL) => (url.pathname = '/nowhere'), /: it does not exist; create it with createdb$/],
    ['of a server that does not run', (url: URL) => (url.port = '1'), /: nothing listens there; start PostgreSQL/],
    ['of an unknown host', (url: URL) => (url.hostname = 'db.invalid'), /: the host name is unknown; correct the URL$/],
  ])('%s is refused, without the password', async (_, change, problem) => {
    const url = new URL(SERVER ?? '');
    url.password = 'secret';
    change(url);
    const refused = await prepare(url.href).catch((error: Error) => error.message);
    expect(refused).toMatch(/^cannot use the database \w+ at /);
    expect(refused).toMatch(problem);
    expect(refused).not.toContain('secret');
  });
});
