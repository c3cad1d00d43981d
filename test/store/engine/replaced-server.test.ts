// A database server whose standby has taken its place, and which still runs or was started again.
import { expect, onTestFinished, test } from 'vitest';
import { type PostgresPair, startPostgresPair } from '../../../scripts/support/postgres-server.ts';
import { perform } from '../../../server/operations/operation.ts';
import { sendTask } from '../../../server/operations/tasks/send-task.ts';
import { connectionTo } from '../../../server/store/engine/postgres/connection/connection.ts';
import { serversAt } from '../../../server/store/engine/postgres/connection/servers.ts';
import { outcomeOf, rowsOf } from '../../support/fixture.ts';
import { SERVER } from '../../support/store/postgres.ts';
import { foundNetwork, openHubOn } from '../../support/test-hub.ts';

async function openPair(options = {}): Promise<PostgresPair> {
  const pair = await startPostgresPair(options);
  if (pair === undefined) throw new Error('there was a server for the other tests');
  onTestFinished(pair.stop);
  return pair;
}

const portOf = (url: string): string => new URL(url).port;

test.skipIf(SERVER === undefined)('a server that was replaced is not used again when it is started', async () => {
  const { primary, standby, promote, url } = await openPair();
  const moves: string[] = [];
  const servers = serversAt(url, (server) => moves.push(server));
  const usedPort = async (known = servers): Promise<string> => {
    const connection = connectionTo(known);
    const { client } = await connection.open();
    await connection.close();
    return String(client.port);
  };
  expect(await usedPort()).toBe(portOf(primary.url));
  await primary.kill();
  await promote();
  await expect.poll(() => usedPort().catch(() => 'none yet')).toBe(portOf(standby.url));
  await primary.start();
  expect(await usedPort()).toBe(portOf(standby.url));
  expect(await usedPort(serversAt(url))).toBe(portOf(standby.url)); // a hub that starts knows nothing yet

  await standby.kill();
  await expect(usedPort()).rejects.toMatchObject({ refusals: [{ code: 'ECONNREFUSED' }, { code: 'REPLACED' }] });
  await standby.start();
  expect(await usedPort()).toBe(portOf(standby.url));
  expect(moves).toEqual([new URL(standby.url).host]);
});

test.skipIf(SERVER === undefined)('a hub moves on from a server that was replaced while it runs', async () => {
  const { promote, standby, url } = await openPair();
  const hub = await openHubOn(url);
  const caller = await foundNetwork(hub);
  const sent = (task: string): Promise<string> =>
    outcomeOf(perform(sendTask, hub, caller, { alias: 'bob', task, from_session: `alice ${task}` }));
  expect(await sent('first')).toBe('ok');

  await promote(); // from now on, the server waits for a standby that it no longer has
  const second = sent('second');
  expect(await second).toBe('ok');
  expect(await sent('third')).toBe('ok');
  const tasks = 'SELECT content FROM tasks ORDER BY task_seq';
  const contents = ['first', 'second', 'third'];
  expect((await rowsOf({ hub }, tasks)).map(({ content }) => content)).toEqual(contents);
  const there = connectionTo(serversAt(standby.url));
  onTestFinished(there.close);
  expect((await (await there.statements()).all<{ content: string }>(tasks, [])).map(({ content }) => content)).toEqual(
    contents,
  );
});

test.skipIf(SERVER === undefined)('a hub moves on from a server that still takes writes', async () => {
  const { promote, primary, standby, url } = await openPair({ isSynchronous: false });
  const hub = await openHubOn(url);
  const caller = await foundNetwork(hub);
  const there = connectionTo(serversAt(standby.url));
  onTestFinished(there.close);
  const FOLLOWED = 'SELECT count(*) AS networks FROM networks';
  const followed = async () => (await there.statements()).first(FOLLOWED, []).catch(() => undefined);
  await expect.poll(followed).toEqual({ networks: 1 });
  await promote();
  let task = 0;
  const send = () =>
    outcomeOf(perform(sendTask, hub, caller, { alias: 'bob', task: `${task++}`, from_session: 'ada' }));
  const countThere = async (): Promise<number> => {
    await send();
    const found = await (await there.statements()).first<{ tasks: number }>('SELECT count(*) AS tasks FROM tasks', []);
    return found?.tasks ?? 0;
  };
  await expect.poll(countThere, { timeout: 10_000 }).toBeGreaterThan(0);

  const before = await countThere();
  await primary.kill();
  await primary.start(); // and is not used again
  for (let more = 1; more <= 3; more++) expect(await countThere()).toBe(before + more);
});
