// A connection to the database file with the settings that make its promises true, and the bare statements on it.
import type { Client } from '@libsql/client';
import type { Millis } from '../domain/clock.ts';
import { StartError } from '../domain/errors.ts';
import type { Reader, SqlValue } from './database.ts';
import type { NetworkSeqs } from './network-seqs.ts';
import { openFile } from './opening.ts';
import { onDriver, type Statements } from './prepared-statements.ts';

// journal_mode and synchronous: an acknowledged write survives a power cut. trusted_schema and cell_size_check: a
// damaged or foreign file fails early. journal_size_limit: the log file shrinks again after a burst. wal_autocheckpoint: 16 MB of
// log, four times the default, since every checkpoint waits for the disk twice and writes the same pages again.
export const RECIPE = {
  journal_mode: 'wal',
  synchronous: 2,
  foreign_keys: 1,
  temp_store: 2,
  trusted_schema: 0,
  cell_size_check: 1,
  cache_size: -16_000,
  journal_size_limit: 67_108_864,
  wal_autocheckpoint: 4000,
} as const;

export type Connection = { client: Client; statements: Statements };

/** Sets every setting and reads it back; one that was not taken is an error. */
export async function connect(file: string, recipe: Record<string, string | number>): Promise<Connection> {
  const { opened: client, statements } = onDriver(() => openFile(file));
  for (const [name, wanted] of Object.entries(recipe)) {
    await client.execute(`PRAGMA ${name} = ${wanted}`);
    const { rows } = await client.execute(`PRAGMA ${name}`);
    const found = rows[0]?.[0];
    if (found !== wanted) throw new StartError(`the database refused PRAGMA ${name} = ${wanted} (it is ${String(found)})`);
  }
  return { client, statements };
}

export function readerOn(statements: Statements, networkSeqs: NetworkSeqs, now: Millis): Reader {
  return {
    now,
    networkSeq: networkSeqs.of,
    all: async <Row>(sql: string, args: readonly SqlValue[] = []) => statements.all<Row>(sql, args),
    first: async <Row>(sql: string, args: readonly SqlValue[] = []) => statements.first<Row>(sql, args),
  };
}
