// A connection to the database file with the settings that make its promises true, and the bare statements on it.
import './prepared-statements.ts';
import type { Client, Transaction as Connection } from '@libsql/client';
import type { Millis } from '../domain/clock.ts';
import { StartError } from '../domain/errors.ts';
import type { Reader, SqlValue, Transaction } from './database.ts';
import { openFile } from './opening.ts';

// journal_mode and synchronous: an acknowledged write survives a power cut. trusted_schema and cell_size_check: a
// damaged or foreign file fails early. journal_size_limit: the log file shrinks again after a burst.
export const RECIPE = {
  journal_mode: 'wal',
  synchronous: 2,
  foreign_keys: 1,
  temp_store: 2,
  trusted_schema: 0,
  cell_size_check: 1,
  cache_size: -16_000,
  journal_size_limit: 67_108_864,
} as const;

/** Sets every setting and reads it back; one that was not taken is an error. */
export async function connect(file: string, recipe: Record<string, string | number>): Promise<Client> {
  const client = openFile(file);
  for (const [name, wanted] of Object.entries(recipe)) {
    await client.execute(`PRAGMA ${name} = ${wanted}`);
    const { rows } = await client.execute(`PRAGMA ${name}`);
    const found = rows[0]?.[0];
    if (found !== wanted) throw new StartError(`the database refused PRAGMA ${name} = ${wanted} (it is ${String(found)})`);
  }
  return client;
}

export function readerOn(connection: Connection, now: Millis): Reader {
  const all = async <Row>(sql: string, args: readonly SqlValue[] = []): Promise<Row[]> => {
    const { rows } = await connection.execute({ sql, args: args.map(bound) });
    // STRICT tables and the column list of the statement make the rows what the caller says they are.
    return rows as Row[];
  };
  return { now, all, first: async <Row>(sql: string, args?: readonly SqlValue[]) => (await all<Row>(sql, args))[0] };
}

// libSQL binds every JavaScript number as REAL; a whole number must arrive as an INTEGER.
function bound(value: SqlValue): string | number | bigint | null {
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value;
}

export function runOn(connection: Connection): Transaction['run'] {
  return async (sql, args = []) => {
    const result = await connection.execute({ sql, args: args.map(bound) });
    return { changes: result.rowsAffected, lastId: Number(result.lastInsertRowid) };
  };
}
