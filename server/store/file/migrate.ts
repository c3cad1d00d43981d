// Migrates a database file to the latest schema: forward only, one transaction per migration. It refuses a file of a
// newer or another program without changing it. The last migration also corrects wrong counters.
import { existsSync, rmSync, statSync } from 'node:fs';
import type { Client } from '@libsql/client';
import { recount } from '../counts/counters.ts';
import { copyBeforeUpgrade } from './copy.ts';
import { APPLICATION_ID, assertOurs } from './identity.ts';
import { MIGRATIONS, SCHEMA_VERSION } from './migrations.ts';
import { onFile } from './open.ts';

export type Upgrade = { from: number; to: number; copy: string };

/** Returns the upgrade of an existing file, which it copied first. A new file that could not be created is removed. */
export async function migrate(file: string): Promise<Upgrade | undefined> {
  const isNew = !existsSync(file);
  try {
    const version = await assertOurs(file);
    const isOld = version > 0 && version < SCHEMA_VERSION;
    const copy = isOld ? await copyBeforeUpgrade(file, SCHEMA_VERSION) : undefined;
    await applyMigrations(file, version, SCHEMA_VERSION);
    return copy === undefined ? undefined : { from: version, to: SCHEMA_VERSION, copy };
  } catch (error) {
    // An empty file would be refused at the next start, as one that has lost its content.
    if (isNew && statSync(file, { throwIfNoEntry: false })?.size === 0) rmSync(file);
    throw error;
  }
}

/** Migrates without a copy, for temporary files. */
export function applyMigrations(file: string, from: number, to: number): Promise<void> {
  return onFile(file, async (client) => {
    // Only an empty file can be told to give pages back later; see free-space.ts.
    if (from === 0) await client.execute('PRAGMA auto_vacuum = INCREMENTAL');
    for (let next = from; next < to; next++) await apply(client, next);
  });
}

async function apply(client: Client, index: number): Promise<void> {
  const tx = await client.transaction('write');
  try {
    await tx.executeMultiple(MIGRATIONS[index] ?? '');
    if (index + 1 === SCHEMA_VERSION)
      await recount({ all: async (sql) => (await tx.execute(sql)).rows, run: (sql) => tx.execute(sql) });
    await tx.executeMultiple(`PRAGMA user_version = ${index + 1}; PRAGMA application_id = ${APPLICATION_ID}`);
    await tx.commit();
  } finally {
    tx.close();
  }
}
