// The schema of a PostgreSQL database is upgraded while hubs run on it: expanded by the first hub of the next version,
// and contracted when no hub of this version is left.
import { Client } from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { StartError } from '../../../server/domain/errors.ts';
import { getInbox } from '../../../server/operations/agents/get-inbox.ts';
import { perform } from '../../../server/operations/operation.ts';
import { onDatabase } from '../../../server/store/engine/postgres/connection/on-database.ts';
import { prepare } from '../../../server/store/engine/postgres/prepare.ts';
import { contract, SCHEMA, type Schema } from '../../../server/store/engine/postgres/upgrade.ts';
import { type Fixture, send } from '../../support/fixture.ts';
import { createPostgres, SERVER } from '../../support/store/postgres.ts';
import { foundNetwork, openHubOn } from '../../support/test-hub.ts';

const THIS = SCHEMA.version;
/** The next version, which has a column instead of another. */
const NEXT: Schema = {
  version: THIS + 1,
  upgrades: [
    {
      version: THIS + 1,
      expand: 'ALTER TABLE sessions ADD COLUMN shade text',
      contract: 'ALTER TABLE sessions DROP COLUMN score',
    },
  ],
};

async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client(url);
  await client.connect();
  const { rows } = await client.query(sql);
  await client.end();
  return rows;
}

const versions = async (url: string) => (await ask(url, 'SELECT schema_version, needed_version FROM hub'))[0];
const columns = async (url: string) =>
  (
    await ask(
      url,
      "SELECT column_name FROM information_schema.columns WHERE table_name = 'sessions' AND column_name IN ('shade', 'score') ORDER BY 1",
    )
  ).map(({ column_name }) => column_name);
const contractOn = (url: string, schema: Schema) => onDatabase(url, (statements) => contract(statements, schema));

async function openHub(url: string): Promise<Fixture> {
  const hub = await openHubOn(url);
  const caller = await foundNetwork(hub);
  return { hub, caller, ask: (operation, input) => perform(operation, hub, caller, input) };
}

describe.skipIf(SERVER === undefined)('a PostgreSQL database', () => {
  test('is expanded while a hub works on it, which goes on, and another of its version still starts', async () => {
    const url = await createPostgres();
    const fixture = await openHub(url);
    await send(fixture);
    await prepare(url, { schema: NEXT });
    expect(await versions(url)).toMatchObject({ schema_version: String(THIS + 1), needed_version: String(THIS) });
    expect(await columns(url)).toEqual(['score', 'shade']);
    await send(fixture);
    await openHubOn(url);
    expect((await fixture.ask(getInbox, { alias: 'bob' })).messages).toHaveLength(2);
    await prepare(url, { schema: NEXT });
    expect(await columns(url)).toEqual(['score', 'shade']);
  });

  test('is contracted when no hub of the version before runs, and then refuses one', async () => {
    const url = await createPostgres();
    const { hub } = await openHub(url);
    await prepare(url, { schema: NEXT });
    expect(await contractOn(url, NEXT)).toBe(THIS);
    expect(await columns(url)).toEqual(['score', 'shade']);
    await hub.store.close();
    expect(await contractOn(url, NEXT)).toBe(THIS + 1);
    expect(await columns(url)).toEqual(['shade']);
    const refused = `the database has schema ${THIS + 1}, from a newer agenthub; this one knows ${THIS}`;
    await expect(prepare(url)).rejects.toThrow(new StartError(refused, 'use the newer one'));
    await expect(contractOn(url, SCHEMA)).rejects.toThrow(refused);
  });

  test('is not contracted between the start of a hub and its first announcement', async () => {
    const url = await createPostgres();
    await prepare(url, { schema: NEXT });
    await prepare(url); // where a hub of this version begins
    expect(await contractOn(url, NEXT)).toBe(THIS);
    expect(await columns(url)).toEqual(['score', 'shade']);
  });

  test('is left as it was by an upgrade that fails, or for which a table is not free', async () => {
    const url = await createPostgres();
    const broken = {
      ...NEXT,
      upgrades: [...NEXT.upgrades, { version: THIS + 1, expand: 'ALTER TABLE nothing ADD x text' }],
    };
    await expect(prepare(url, { schema: broken })).rejects.toThrow(/nothing/);
    const reader = new Client(url);
    await reader.connect();
    onTestFinished(() => reader.end());
    await reader.query('BEGIN; SELECT count(*) FROM sessions');
    await expect(prepare(url, { schema: NEXT })).rejects.toThrow(/something else holds its tables/);
    await reader.query('COMMIT');
    expect(await columns(url)).toEqual(['score']);
    expect(await versions(url)).toMatchObject({ schema_version: String(THIS) });
    await prepare(url, { schema: NEXT });
    expect(await columns(url)).toEqual(['score', 'shade']);
  });

  test('is contracted by the leader, once the last hub of an earlier version is gone', async () => {
    const url = await createPostgres();
    const { hub } = await openHub(url);
    await vi.waitFor(() => expect(hub.store.isLeader()).toBe(true));
    await ask(
      url,
      `INSERT INTO hubs SELECT 'earlier', hub_name, version, started_at, seen_at + 600000, heartbeats_until, 0, 0, 0, 0, ${THIS - 1} FROM hubs LIMIT 1;
       UPDATE hub SET needed_version = ${THIS - 1}`,
    );
    const seenAt = async () =>
      Number((await ask(url, "SELECT seen_at FROM hubs WHERE hub_id <> 'earlier'"))[0]?.['seen_at']);
    const before = await seenAt();
    await vi.waitFor(async () => expect(await seenAt()).toBeGreaterThan(before + 600), { timeout: 10_000 });
    expect(await versions(url)).toMatchObject({ needed_version: String(THIS - 1) });
    await ask(url, "DELETE FROM hubs WHERE hub_id = 'earlier'");
    await vi.waitFor(async () => expect(await versions(url)).toMatchObject({ needed_version: String(THIS) }), {
      timeout: 5_000,
    });
  });

  test('stops a hub that wakes up after the others were upgraded', async () => {
    const url = await createPostgres();
    const asked = Promise.withResolvers<void>();
    await openHubOn(url, {}, { name: 'alone', onDrain: asked.resolve });
    await ask(url, `UPDATE hub SET schema_version = ${THIS + 1}, needed_version = ${THIS + 1}`);
    await asked.promise;
  });
});
