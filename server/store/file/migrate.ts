// Brings a database file to the newest schema: forward only, each migration in a transaction of its own. A file of a
// newer program or of another one is refused before anything in it changes. The last migration also corrects wrong
// counters.
import type { Client } from '@libsql/client';
import { recount } from '../counts/counters.ts';
import { copyBeforeUpgrade } from './copy.ts';
import { APPLICATION_ID, assertOurs } from './identity.ts';
import { onFile } from './open.ts';
import { MIGRATIONS, SCHEMA_VERSION } from './schema.ts';

export type Upgrade = { from: number; to: number; copy: string };

/** Answers what it did to a file that was there before, of which it first made a copy. */
export async function migrate(file: string): Promise<Upgrade | undefined> {
  const version = await assertOurs(file);
  const isOld = version > 0 && version < SCHEMA_VERSION;
  const copy = isOld ? await copyBeforeUpgrade(file, SCHEMA_VERSION) : undefined;
  await bringUp(file, version, SCHEMA_VERSION);
  return copy === undefined ? undefined : { from: version, to: SCHEMA_VERSION, copy };
}

/** Without a copy: for a file that nobody would miss. */
export function bringUp(file: string, from: number, to: number): Promise<void> {
  return onFile(file, async (client) => {
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
