// A new, empty database. Migrating one takes fifty milliseconds of CPU time, so it is a copy of one that was migrated
// before, with its own identity.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrate } from '../../../server/store/file/migrate.ts';
import { shared } from '../shared.ts';

export async function createDatabase(file: string): Promise<void> {
  copyFileSync(join(await shared('empty', (directory) => migrateNew(directory)), 'agenthub.db'), file);
  const database = new DatabaseSync(file);
  database.exec('UPDATE hub SET epoch = lower(hex(randomblob(6))), id_key = lower(hex(randomblob(16)))');
  database.close();
}

async function migrateNew(directory: string): Promise<void> {
  await migrate(join(directory, 'agenthub.db'));
}
