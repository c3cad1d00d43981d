// agenthub cluster: lists the hubs that share a PostgreSQL database, from a machine of a hub and from any other.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listOf, objectIn } from '../../support/json.ts';
import { type Environment, newCli, outputOf, run } from '../../support/process/command-line.ts';
import { ANY_TARGET } from '../../support/process/hub-process.ts';
import { startHub, temporaryDirectory } from '../../support/process/running-hub.ts';
import { createEmptyPostgres, createPostgres, SERVER } from '../../support/store/postgres.ts';

const cliWith = (env: Environment) => newCli(ANY_TARGET, env);
const nowhere = (): string => join(temporaryDirectory(), 'data');

test.skipIf(SERVER === undefined)('the hubs are listed through a hub and through the database', async () => {
  const url = await createPostgres();
  const start = () => startHub({ target: ANY_TARGET, env: { AGENTHUB_DATABASE: url } });
  const one = await start();
  await expect.poll(one.output).toContain('"number":1,"hubs":1,"msg":"this is the only hub on its database"');
  // Which of two hubs runs the sweeps is open until one does.
  const alone = () => outputOf(cliWith({ AGENTHUB_DATABASE: url }), ['cluster', 'list']);
  await expect.poll(alone, { timeout: 10_000, interval: 100 }).toMatch(/serving +yes/);
  const two = await start();
  await expect.poll(two.output).toContain('"number":2,"hubs":2,"msg":"this is hub 2 of 2 on its database"');
  const ports = [one, two].map((hub) => new URL(hub.url).port);
  for (const env of [{ AGENTHUB_DATA: one.data }, { AGENTHUB_DATABASE: url, AGENTHUB_DATA: nowhere() }]) {
    const listed = async () =>
      listOf(objectIn(await outputOf(cliWith(env), ['cluster', '-o', 'json'])), 'hubs').map((hub) => ({
        port: String(hub['hub_name']).split(':').at(-1),
        state: hub['state'],
        runs_sweeps: hub['runs_sweeps'],
      }));
    await expect.poll(listed, { timeout: 10_000, interval: 100 }).toEqual([
      { port: ports[0], state: 'serving', runs_sweeps: true },
      { port: ports[1], state: 'serving', runs_sweeps: false },
    ]);
    const [headings, first, second] = (await outputOf(cliWith(env), ['cluster', 'list'])).split('\n');
    expect(headings).toMatch(/^HUB +ID +VERSION +STATE +SWEEPS +STREAMS +BEHIND +STARTED +SEEN$/);
    expect(first).toMatch(new RegExp(`:${ports[0]} +\\w{8} +[\\d.]+ +serving +yes +0 +0 events +.* ago$`));
    expect(second).toMatch(new RegExp(`:${ports[1]} +\\w{8} +[\\d.]+ +serving +no +0 +0 events +.* ago$`));
  }
  expect(await two.stop()).toBe(0);
  const { hubs } = objectIn(await outputOf(cliWith({ AGENTHUB_DATABASE: url }), ['cluster', '-o', 'json']));
  expect(hubs).toHaveLength(1);
});

test('a hub on a file, running or stopped, is in no cluster', async () => {
  const { data, stop } = await startHub({ target: ANY_TARGET });
  const cli = cliWith({ AGENTHUB_DATA: data });
  const words = 'this hub stores its data in a file, which no other hub can share: it is not part of a cluster\n';
  expect(await outputOf(cli, ['cluster'])).toBe(words);
  expect(objectIn(await outputOf(cli, ['cluster', '-o', 'json']))).toEqual({
    ok: true,
    database: 'file',
    listed_by: null,
    hubs: [],
  });
  await stop();
  expect(await outputOf(cli, ['cluster'])).toBe(words);
});

test('without a hub and a database, one line says where to run it', async () => {
  const data = nowhere();
  expect(await run(cliWith({ AGENTHUB_DATA: data }), ['cluster'])).toMatchObject({
    code: 3,
    stderr: `agenthub: no hub is running on ${data}: run this where a hub runs, or name the database with AGENTHUB_DATABASE\n`,
  });
});

test.skipIf(SERVER === undefined)('a database without hubs, or without a schema, says so', async () => {
  const [url, empty] = [await createPostgres(), await createEmptyPostgres()];
  expect(await outputOf(cliWith({ AGENTHUB_DATABASE: url }), ['cluster'])).toBe('no hub runs on this database\n');
  expect(await run(cliWith({ AGENTHUB_DATABASE: empty }), ['cluster'])).toMatchObject({
    code: 1,
    stderr: 'agenthub: the database holds no hub\n',
  });
});
