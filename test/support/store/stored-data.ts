// Reads a hub's data from outside: the database over a separate read-only connection, the directory as bytes.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, createClient } from '@libsql/client';
import { publicIds } from '../../../server/domain/ids/public-ids.ts';

export type StoredData = {
  rows(sql: string): Promise<readonly unknown[][]>;
  /** Rows of each table. */
  counts(): Promise<Record<string, number>>;
  close(): void;
};

/** Safe while the hub runs: the log mode allows reads during writes. */
export async function readStoredData(data: string): Promise<StoredData> {
  const client = createClient({ url: `file:${encodeURI(join(data, 'agenthub.db'))}`, concurrency: 1 });
  await client.execute('PRAGMA query_only = 1');
  const rows = (sql: string): Promise<readonly unknown[][]> => rowsOf(client, sql);
  return { rows, counts: () => countAll(rows), close: () => client.close() };
}

async function rowsOf(client: Client, sql: string): Promise<readonly unknown[][]> {
  const { rows, columns } = await client.execute(sql);
  return rows.map((row) => columns.map((_, index) => row[index]));
}

async function countAll(rows: StoredData['rows']): Promise<Record<string, number>> {
  const tables = await rows(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
  );
  const counts: Record<string, number> = {};
  for (const [name] of tables)
    counts[String(name)] = Number((await rows(`SELECT count(*) FROM ${String(name)}`))[0]?.[0]);
  return counts;
}

/**
 * Every path below a directory, with its mode and the digest of its bytes. A `-shm` file is shared memory without
 * content, so only its existence counts. Do not use this while the process has the database open: SQLite would lose its
 * locks.
 */
export function fingerprint(directory: string): Record<string, string> {
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(['.', ...paths].map((path) => [path, stateOf(join(directory, path))]));
}

function stateOf(path: string): string {
  const found = statSync(path);
  const mode = found.mode.toString(8);
  if (!found.isFile()) return `${mode} directory`;
  return path.endsWith('-shm')
    ? `${mode} shared memory`
    : `${mode} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`;
}

export type EventIds = { of(seq: number): string; seqIn(id: string | undefined): number };

/** How the hub with this data encodes event ids. The number of an id that it did not create is NaN. */
export async function eventIdsIn(data: string): Promise<EventIds> {
  const stored = await readStoredData(data);
  const [[epoch, key] = []] = await stored.rows('SELECT epoch, id_key FROM hub');
  stored.close();
  const ids = publicIds(String(key));
  const before = `${String(epoch)}-`;
  return {
    of: (seq) => before + ids.ofNumber('event', seq),
    seqIn: (id = '') =>
      (id.startsWith(before) ? ids.numberIn('event', id.slice(before.length)) : undefined) ?? Number.NaN,
  };
}
