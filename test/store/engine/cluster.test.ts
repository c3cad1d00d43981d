// What each hub on a PostgreSQL database knows about the others, and how one is asked to stop.
import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { watchResources } from '../../../server/serve/machine/resource-watch.ts';
import { ON_POSTGRES, SERVER } from '../../support/store/postgres.ts';
import { openTestHub, openTwoHubs, type TestHub } from '../../support/test-hub.ts';

type ClusterOf = NonNullable<TestHub['store']['cluster']>;

function clusterOf({ store: { cluster } }: TestHub): ClusterOf {
  if (cluster === undefined) throw new Error('the hub has no cluster');
  return cluster;
}

const namesAt = (hub: TestHub): string[] =>
  clusterOf(hub)
    .hubs()
    .map(({ hub_name }) => hub_name)
    .toSorted();

const knownAt = (hub: TestHub, other: TestHub) =>
  clusterOf(hub)
    .hubs()
    .find(({ hub_id }) => hub_id === clusterOf(other).hubId);

function troublesOf(hub: TestHub): string[] {
  watchResources(hub).stop();
  return hub.troubles.listPresent().map(({ kind }) => kind);
}

async function run({ file }: TestHub, ...statements: readonly string[]): Promise<void> {
  await runOn(file, statements);
}

async function runOn(url: string | undefined, statements: readonly string[]): Promise<void> {
  const client = new Client(url);
  await client.connect();
  for (const sql of statements) await client.query(sql);
  await client.end();
}

/** The row of a leader that announced itself last a moment too long ago. */
async function insertKilled(hub: TestHub, id: string, name: string, session = 0): Promise<void> {
  const seenAt = '(extract(epoch FROM now()) * 1000)::bigint - 5001';
  await run(hub, `INSERT INTO hubs VALUES ('${id}', '${name}', '1', 0, ${seenAt}, 0, 1, 0, 0, ${session}, 99)`);
}

test.skipIf(ON_POSTGRES)('a hub on a file has no cluster', async () => {
  expect((await openTestHub()).store.cluster).toBeUndefined();
});

describe.skipIf(SERVER === undefined)('hubs on one database', () => {
  test('list each other, with who runs the sweeps', async () => {
    const [one, two] = await openTwoHubs();
    expect(namesAt(two)).toEqual(['one', 'two']); // known from its start
    await expect.poll(() => namesAt(one)).toEqual(['one', 'two']);
    expect(knownAt(two, one)).toMatchObject({
      hub_name: 'one',
      version: '0.0.0-test',
      started_at: one.startedAt,
      is_alive: true,
      is_leader: false,
      events_behind: 0,
      streams: 0,
      is_draining: false,
    });
    one.openStreams.count = () => 7;
    await expect.poll(() => one.store.isLeader()).toBe(true);
    await expect.poll(() => knownAt(two, one)).toMatchObject({ is_leader: true, streams: 7 });
    expect(knownAt(one, two)).toMatchObject({ is_leader: false });
  });

  test('do not list one that has stopped, and list one that is gone as not alive', async () => {
    const [one, two] = await openTwoHubs();
    const { hubId } = clusterOf(two);
    await two.store.close();
    await expect.poll(() => namesAt(one)).toEqual(['one']);
    await insertKilled(one, hubId, 'two');
    await expect.poll(() => knownAt(one, two)).toMatchObject({ hub_name: 'two', is_alive: false, is_leader: false });
    await insertKilled(one, 'before', 'one'); // its own row from before it was killed
    await insertKilled(one, 'other', 'three');
    await expect.poll(() => namesAt(one)).toEqual(['one', 'three', 'two']);
  });

  test('do not list a command that has opened the database', async () => {
    const [one] = await openTwoHubs();
    await run(one, "INSERT INTO hubs VALUES ('command', NULL, NULL, 0, 9007199254740991, 0, 0, 0, 0, 0, 99)");
    await expect.poll(() => namesAt(one)).toEqual(['one', 'two']);
  });

  test('know none while the database cannot be reached, and all when it is back', async () => {
    const [one] = await openTwoHubs();
    await expect.poll(() => namesAt(one)).toEqual(['one', 'two']);
    const database = new URL(one.file).pathname.slice(1);
    await runOn(SERVER, [
      `ALTER DATABASE ${database} ALLOW_CONNECTIONS false`,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`,
    ]);
    await expect.poll(() => namesAt(one)).toEqual([]);
    expect(troublesOf(one)).toEqual(['database_lost']);
    await runOn(SERVER, [`ALTER DATABASE ${database} ALLOW_CONNECTIONS true`]);
    await expect.poll(() => namesAt(one)).toEqual(['one', 'two']);
    expect(troublesOf(one)).toEqual([]);
  });

  test('are drained but for the last one, which needs force', async () => {
    const drained: string[] = [];
    const [one, two] = await openTwoHubs((name) => drained.push(name));
    const drain = (hub: TestHub, isForced = false) => clusterOf(one).drain(clusterOf(hub).hubId, isForced);
    expect(await clusterOf(one).drain('unknown', true)).toBe('gone');
    expect(await drain(two)).toBe('draining');
    await expect.poll(() => drained).toEqual(['two']);
    await expect.poll(() => knownAt(one, two)).toMatchObject({ is_alive: true, is_draining: true });
    expect(await drain(two)).toBe('draining');
    expect(await drain(one)).toBe('last');
    expect(await drain(one, true)).toBe('draining');
    await expect.poll(() => drained).toEqual(['two', 'one']);
  });

  test('are not both drained if two operators drain one each at once', async () => {
    const [one, two] = await openTwoHubs();
    const ids = [one, two].map((hub) => clusterOf(hub).hubId);
    for (let round = 0; round < 5; round++) {
      const outcomes = await Promise.all(ids.map((id, at) => clusterOf(at === 0 ? one : two).drain(id, false)));
      expect(outcomes.toSorted()).toEqual(['draining', 'last']);
      await run(one, 'UPDATE hubs SET drain_at = NULL');
    }
  });

  test('take over from a leader that is frozen, but not from a session that they do not know', async () => {
    const [one, two] = await openTwoHubs();
    const frozen = new Client(one.file);
    const ended = new Promise<void>((end) => frozen.on('error', () => end()));
    await frozen.connect();
    const { rows } = await frozen.query('SELECT pg_advisory_lock(-2), pg_backend_pid() AS session');
    const leaders = () => [one, two].filter((hub) => hub.store.isLeader());
    expect(leaders()).toEqual([]); // from now on, each hub tries with every poll
    let polls = 0;
    one.openStreams.count = () => ++polls;
    await expect.poll(() => polls).toBeGreaterThan(3);
    expect(leaders()).toEqual([]);
    await insertKilled(one, 'frozen', 'three', rows[0]?.session);
    await ended;
    await expect.poll(() => leaders().length).toBe(1);
  });
});
