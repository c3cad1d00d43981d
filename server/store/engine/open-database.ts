// Opens the database: a file, or PostgreSQL, which several hubs share.
import { isPostgres } from '../../domain/postgres-url.ts';
import type { Database, DatabaseOptions } from './database.ts';
import { openFile } from './libsql/database.ts';

/** The driver of PostgreSQL is loaded only where it is used. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  if (!isPostgres(options.database)) return openFile(options);
  const { openPostgres } = await import('./postgres/database.ts');
  return openPostgres(options);
}
