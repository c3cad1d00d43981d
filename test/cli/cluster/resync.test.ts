// A database that was restored with the tools of PostgreSQL: event streams start over, and miss nothing after that.
import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { type EventReader, openEvents } from '../../support/http/event-reader.ts';
import { type Account, register, restClient } from '../../support/http/rest-client.ts';
import { listOf, objectIn } from '../../support/json.ts';
import { type Ended, newCli, outputOf, run } from '../../support/process/command-line.ts';
import { ANY_TARGET } from '../../support/process/hub-process.ts';
import { type RunningHub, startHub } from '../../support/process/running-hub.ts';
import { createPostgres, SERVER } from '../../support/store/postgres.ts';

const startOn = (url: string): Promise<RunningHub> => startHub({ target: ANY_TARGET, args: ['--database', url] });
const restored = (url: string): Promise<Ended> =>
  run(newCli(ANY_TARGET, { AGENTHUB_DATABASE: url }), ['cluster', 'resync', '-o', 'json']);
const send = (hub: RunningHub, { networkToken }: Account, task: string) =>
  restClient(hub.url, networkToken).post('/api/tasks', { alias: 'bob', task });

async function onServer(...statements: readonly string[]): Promise<void> {
  const client = new Client(SERVER);
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

const nameOf = (url: string): string => new URL(url).pathname.slice(1);
/** No session may use a database that is copied. */
const withoutSessions = (name: string, ...statements: readonly string[]) =>
  onServer(
    `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
    ...statements,
    `ALTER DATABASE ${name} ALLOW_CONNECTIONS true`,
  );

async function backUp(url: string): Promise<{ restore(): Promise<void> }> {
  const name = nameOf(url);
  const backup = `${name}_backup`;
  await withoutSessions(name, `CREATE DATABASE ${backup} TEMPLATE ${name}`);
  const restore = () =>
    withoutSessions(
      name,
      `DROP DATABASE ${name}`,
      `CREATE DATABASE ${name} TEMPLATE ${backup}`,
      `DROP DATABASE ${backup}`,
    );
  return { restore };
}

/** The id of the last of so many events, of which the backup has none. */
async function idAfter(hub: RunningHub, account: Account, count: number): Promise<string | undefined> {
  const stream = await openEvents(`${hub.url}/events/bob`, account.networkToken);
  for (let n = 1; n <= count; n++) await send(hub, account, `lost ${n}`);
  await expect.poll(() => namesIn(stream).length).toBe(count);
  await stream.close();
  return stream.lastEventId();
}

/** Without the heartbeats. */
const namesIn = (stream: EventReader): string[] =>
  stream.arrived().flatMap(({ name }) => (name === 'heartbeat' ? [] : [name]));

async function expectResync(stream: EventReader): Promise<void> {
  await stream.next('resync');
  expect(namesIn(stream)).toEqual(['resync']);
}

describe.skipIf(SERVER === undefined)('a database that was restored', () => {
  test('while no hub ran: streams that resume start over, and receive what comes then', async () => {
    const url = await createPostgres();
    const before = await startOn(url);
    const account = await register(before.url);
    await before.stop();
    const backup = await backUp(url);
    const last = await startOn(url);
    const lastEventId = await idAfter(last, account, 3);
    const refused = await restored(url);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('stop all hubs first: ')]);
    await last.stop();
    await backup.restore();
    expect(objectIn((await restored(url)).stdout)).toEqual({ ok: true });

    const hub = await startOn(url);
    for (let n = 1; n <= 5; n++) await send(hub, account, `new ${n}`);
    const stream = await openEvents(`${hub.url}/events/bob`, account.networkToken, {
      ...(lastEventId !== undefined && { lastEventId }),
    });
    await expectResync(stream);
    await send(hub, account, 'after all');
    await stream.next('new_task');
    await stream.close();
    const words = ['audit', 'log', '--action', 'hub.restore', '-o', 'json'];
    const entries = listOf(objectIn(await outputOf(newCli(ANY_TARGET, { AGENTHUB_DATA: hub.data }), words)), 'entries');
    expect(entries).toMatchObject([{ action: 'hub.restore', actor: 'command line' }]);
  });

  test('while a hub ran: it ends its streams, which start over, and it publishes what comes then', async () => {
    const url = await createPostgres();
    const hub = await startOn(url);
    const account = await register(hub.url);
    const backup = await backUp(url);
    await expect.poll(async () => (await restClient(hub.url).get('/health/ready')).status).toBe(200);
    const open = await openEvents(`${hub.url}/events/bob`, account.networkToken);
    for (let n = 1; n <= 5; n++) await send(hub, account, `lost ${n}`);
    await expect.poll(() => namesIn(open).length).toBe(5);
    await backup.restore();
    await open.ended;

    await expect.poll(async () => (await send(hub, account, 'new 1')).status).toBe(200);
    const resume = () =>
      openEvents(`${hub.url}/events/bob`, account.networkToken, { lastEventId: open.lastEventId() ?? '' });
    await expect.poll(async () => (await resume()).close()).toBeUndefined();
    const again = await resume();
    await expectResync(again);
    await send(hub, account, 'new 2');
    await again.next('new_task');
    await again.close();
  });

  test('is named, or nothing is done', async () => {
    const { code, stderr } = await run(newCli(ANY_TARGET), ['cluster', 'resync']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('--database or AGENTHUB_DATABASE')]);
  });
});
