// agenthub cluster drain: a hub leaves its cluster without losing anything, and the command shows it to the end.
import { hostname } from 'node:os';
import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startPostgres } from '../../../scripts/support/postgres-server.ts';
import { follow } from '../../../server/cli/cluster/drain.ts';
import { StartError } from '../../../server/domain/errors.ts';
import type { ListedHub } from '../../../server/operations/operator/cluster/list-hubs.ts';
import { openEvents } from '../../support/http/event-reader.ts';
import { type Account, register, restClient } from '../../support/http/rest-client.ts';
import { listOf, objectIn } from '../../support/json.ts';
import { type Environment, newCli, outputOf, type Running, run, start } from '../../support/process/command-line.ts';
import { ANY_TARGET } from '../../support/process/hub-process.ts';
import { type RunningHub, startHub } from '../../support/process/running-hub.ts';
import { createPostgres, SERVER } from '../../support/store/postgres.ts';

const SOON = { interval: 20 };

type Pair = { url: string; one: RunningHub; two: RunningHub };

/** `seconds` are those of drain_seconds. */
async function startTwo(seconds: number): Promise<Pair> {
  const url = await createPostgres();
  return { url, one: await startOn(url, seconds), two: await startOn(url, seconds) };
}

/** `one` runs the sweeps. */
async function startLedPair(seconds: number): Promise<Pair> {
  const { url, one, two } = await startTwo(seconds);
  await expect.poll(() => leadersOn(url), SOON).toHaveLength(1);
  return (await leadersOn(url)).includes(nameOf(one)) ? { url, one, two } : { url, one: two, two: one };
}

const startOn = (url: string, seconds: number): Promise<RunningHub> =>
  startHub({
    target: ANY_TARGET,
    env: { AGENTHUB_DATABASE: url },
    args: ['--drain-seconds', String(seconds), '--heartbeat-seconds', '1'],
  });

const cliWith = (env: Environment) => newCli(ANY_TARGET, env);
const nameOf = (hub: RunningHub): string => `${hostname()}:${new URL(hub.url).port}`;

async function isReady(hub: RunningHub): Promise<boolean> {
  return (await restClient(hub.url).get('/health/ready')).status === 200;
}

const drain = ({ url }: Pick<Pair, 'url'>, ...words: string[]): Running =>
  start(cliWith({ AGENTHUB_DATABASE: url }), ['cluster', 'drain', ...words]);

/** Sends until the hub refuses connections, and returns what it has acknowledged. */
async function sendUntilRefused(hub: RunningHub, { networkToken }: Account): Promise<string[]> {
  const acknowledged: string[] = [];
  const client = restClient(hub.url, networkToken);
  for (let n = 0; ; n++) {
    const task = `task ${n}`;
    const sent = await client.post('/api/tasks', { alias: 'bob', task }).catch(() => undefined);
    if (sent === undefined) return acknowledged;
    expect(sent.status).toBe(200);
    acknowledged.push(task);
  }
}

async function tasksIn(url: string): Promise<unknown[]> {
  const client = new Client(url);
  await client.connect();
  const { rows } = await client.query('SELECT content FROM tasks');
  await client.end();
  return rows.map(({ content }) => content);
}

async function drainsIn({ data }: RunningHub): Promise<unknown[]> {
  const words = ['audit', 'log', '--action', 'hub.drain', '-o', 'json'];
  return listOf(objectIn(await outputOf(cliWith({ AGENTHUB_DATA: data }), words)), 'entries');
}

async function leadersOn(url: string): Promise<unknown[]> {
  const { stdout } = await run(cliWith({ AGENTHUB_DATABASE: url }), ['cluster', '-o', 'json']);
  return listOf(objectIn(stdout), 'hubs').flatMap((hub) => (hub['runs_sweeps'] ? [hub['hub_name']] : []));
}

describe.skipIf(SERVER === undefined)('a hub that is drained', () => {
  test('is not ready, ends its streams, stores what it acknowledges, and exits with code 0', async () => {
    const { url, one, two } = await startLedPair(3);
    const ada = await register(one.url);
    const stream = await openEvents(`${one.url}/events/bob`, ada.networkToken);
    const sending = sendUntilRefused(one, ada);
    const draining = drain({ url }, nameOf(one));
    await expect.poll(() => isReady(one), SOON).toBe(false);
    expect(await isReady(two)).toBe(true);
    expect((await restClient(one.url).get('/health/live')).headers.get('connection')).toBe('close');
    await draining.printed(`${nameOf(one)} is draining; 1 stream is open`);
    await stream.ended;
    const late = await openEvents(`${one.url}/events/bob`, ada.networkToken);
    await late.ended;
    const lastEventId = stream.lastEventId() ?? '';
    await openEvents(`${two.url}/events/bob`, ada.networkToken, { lastEventId });
    await draining.printed(`${nameOf(one)} is draining; 0 streams are open`);
    expect(await one.ended).toEqual({ code: 0, signal: null });
    expect(await draining.ended).toMatchObject({
      code: 0,
      stdout: `${nameOf(one)} has stopped; to undo the drain, start it again\n`,
    });
    expect(one.output()).toContain('agenthub is drained by an operator and serves requests for another 3 s');
    expect(one.output()).not.toContain('"level":"error"');

    const acknowledged = await sending;
    expect(acknowledged.length).toBeGreaterThan(10);
    expect(await tasksIn(url)).toEqual(expect.arrayContaining(acknowledged));
    await expect.poll(() => leadersOn(url), SOON).toEqual([nameOf(two)]);
  });

  test.each([
    ['itself', (pair: Pair) => pair.one],
    ['another hub', (pair: Pair) => pair.two],
  ])('is followed to its end through the socket of %s', async (_, through) => {
    const pair = await startTwo(1);
    const cli = cliWith({ AGENTHUB_DATA: through(pair).data });
    const drained = await run(cli, ['cluster', 'drain', nameOf(pair.one), '-o', 'json']);
    expect(drained).toMatchObject({ code: 0 });
    expect(objectIn(drained.stdout)).toMatchObject({ ok: true, hub_name: nameOf(pair.one), state: 'stopped' });
    expect(await pair.one.ended).toEqual({ code: 0, signal: null });
  });

  test('stops sooner on SIGTERM, still in order', async () => {
    const { url, one, two } = await startTwo(600);
    const draining = drain({ url }, nameOf(one));
    await expect.poll(() => isReady(one), SOON).toBe(false);
    const again = drain({ url }, nameOf(one));
    await again.printed('is draining');
    expect(await one.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    for (const { ended } of [draining, again]) expect(await ended).toMatchObject({ code: 0 });
    expect(await drainsIn(two)).toMatchObject([{ actor: 'command line', target_type: 'hub', detail: nameOf(one) }]);
  });

  test('is followed through a restart of the database server', async () => {
    const server = await startPostgres({ isDurable: true });
    if (server === undefined) throw new Error('there was a server for the other tests');
    onTestFinished(server.stop);
    const [one] = [await startOn(server.url, 12), await startOn(server.url, 1)];
    const draining = drain(server, nameOf(one));
    await draining.printed('is draining');
    await server.kill();
    await draining.printed(
      `cannot use the database postgres at ${new URL(server.url).host}: nothing listens there; the drain goes on, and this command tries again for 30 seconds`,
    );
    await server.start();
    await draining.printed('is draining', 2);
    expect(await draining.ended).toMatchObject({ code: 0, stdout: expect.stringContaining(' has stopped; ') });
    expect(await one.ended).toEqual({ code: 0, signal: null });
    expect(await startOn(server.url, 1)).toHaveProperty('url'); // as the undo of a drain
  });

  test('is reported as lost if it is killed meanwhile', async () => {
    const { url, one } = await startTwo(600);
    const draining = drain({ url }, nameOf(one));
    await draining.printed('is draining');
    await one.kill('SIGKILL');
    expect(await draining.ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${nameOf(one)} has not announced itself for 5 seconds`),
    });
    expect(await outputOf(cliWith({ AGENTHUB_DATABASE: url }), ['cluster'])).toMatch(/ lost +no /);
    expect(await drain({ url }, nameOf(one)).ended).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^agenthub: \S+ does not run; it was last seen at [\d: -]+ UTC\n$/),
    });
  });

  test('is named exactly, and is not the last one without --force', async () => {
    const { url, one, two } = await startTwo(1);
    const refused = async (...words: string[]) => {
      const { code, stderr } = await drain({ url }, ...words).ended;
      expect({ code, lines: stderr.split('\n').length }).toEqual({ code: 1, lines: 2 });
      return stderr;
    };
    expect(await refused('nobody')).toContain(`no hub nobody runs on this database; there are ${nameOf(one)} (`);
    expect(await refused(hostname())).toContain(`${hostname()} names several hubs, ${nameOf(one)} (`);
    await two.stop();
    expect(await refused(hostname())).toContain(`${nameOf(one)} is the last hub that serves requests`);
    expect(await isReady(one)).toBe(true);
    const { hubs } = objectIn(await outputOf(cliWith({ AGENTHUB_DATABASE: url }), ['cluster', '-o', 'json']));
    const id = String(listOf({ hubs }, 'hubs')[0]?.['hub_id']).slice(0, 8);
    expect(await drain({ url }, id, '--force').ended).toMatchObject({ code: 0 });
    expect(await one.ended).toEqual({ code: 0, signal: null });
    expect(await refused(nameOf(one))).toBe('agenthub: no hub runs on this database\n');
  });
});

describe('a drain whose database is lost', () => {
  const HUB: ListedHub = {
    hub_id: 'one',
    hub_name: 'one:1',
    version: '1',
    state: 'draining',
    runs_sweeps: false,
    streams: 0,
    events_behind: 0,
    started_at: '',
    last_seen_at: '',
  };
  const LOST = new StartError('nothing listens there', 'start PostgreSQL');

  /** The hub is seen in these states one after the other. */
  const followThrough = (states: (ListedHub | Error | undefined)[], lostMs: number): Promise<void> =>
    follow(
      {
        list: () => Promise.reject(new Error('not used')),
        drain: () => Promise.reject(new Error('not used')),
        stillRunning: async () => {
          const next = states.length > 1 ? states.shift() : states[0];
          if (next instanceof Error) throw next;
          return next;
        },
      },
      HUB,
      lostMs,
    );

  test('is not reported as lost before it can announce itself again', async () => {
    await followThrough([HUB, LOST, { ...HUB, state: 'lost' }, HUB, undefined], 30_000);
  });

  test('is given up after a while', async () => {
    await expect(followThrough([HUB, LOST], 500)).rejects.toThrow(
      'nothing listens there; start PostgreSQL; the drain goes on: run this again to follow it',
    );
  });
});

test('a hub on a file cannot be drained', async () => {
  const { data } = await startHub({ target: ANY_TARGET });
  const refused = await run(cliWith({ AGENTHUB_DATA: data }), ['cluster', 'drain', 'any']);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/^agenthub: [^\n]*file[^\n]*SIGTERM\n$/) });
});
