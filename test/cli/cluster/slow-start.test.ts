// A hub that the database server holds up when it starts says what it waits for, and when it goes on.
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../scripts/support/free-port.ts';
import { startPostgres } from '../../../scripts/support/postgres-server.ts';
import { prepare } from '../../../server/store/engine/postgres/prepare.ts';
import { newCli, outputOf, start } from '../../support/process/command-line.ts';
import { ANY_TARGET, launch } from '../../support/process/hub-process.ts';
import { startHub, temporaryDirectory } from '../../support/process/running-hub.ts';
import { createEmptyPostgres, createPostgres, SERVER } from '../../support/store/postgres.ts';

/** Returns the messages of its log so far. */
function startOn(database: string): () => string[] {
  const data = join(temporaryDirectory(), 'data');
  const hub = launch({
    target: ANY_TARGET,
    args: ['serve', '--port', '0', '--data', data],
    env: { AGENTHUB_DATABASE: database },
  });
  onTestFinished(async () => void (await hub.kill('SIGKILL')));
  const messageIn = (line: string): string => (line.startsWith('{') ? String(JSON.parse(line).msg) : line);
  return () => hub.output().split('\n').slice(0, -1).map(messageIn);
}

/** `goOn` removes what the start waits for. */
async function expectWait(database: string, waits: RegExp, goOn: () => unknown): Promise<void> {
  const messages = startOn(database);
  await expect.poll(messages).toEqual([expect.stringMatching(waits)]);
  await goOn();
  await expect.poll(messages).toContainEqual(expect.stringMatching(/^agenthub listens on/));
  expect(messages().slice(0, 3)).toEqual([
    expect.stringMatching(waits),
    expect.stringMatching(/^the start goes on after \d+ seconds$/),
    expect.stringMatching(/^agenthub listens on/),
  ]);
}

async function clientOn(url: string): Promise<Client> {
  const client = new Client(url);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** As a server answers that still reads its log. */
const STARTING_UP = messageOf('E', 'SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0');

function messageOf(kind: string, content: string): Buffer {
  const message = Buffer.from(`${kind}    ${content}`, 'latin1');
  message.writeUInt32BE(message.length - 1, 1);
  return message;
}

/** A server that is starting up until `finish` is called. */
async function startingServer(real: URL): Promise<{ port: number; finish: () => void }> {
  let isUp = false;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    if (!isUp) return void socket.once('data', () => socket.end(STARTING_UP));
    const other = connect(Number(real.port), real.hostname).on('error', () => socket.destroy());
    socket.pipe(other).pipe(socket);
  });
  onTestFinished(() => void server.close());
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  return { port, finish: () => (isUp = true) };
}

/** A server whose commits wait for a standby that is not there, until `goOn` is called. */
async function serverWithoutStandby(act: (url: string) => Promise<unknown>) {
  const server = await startPostgres({ isDurable: true });
  if (server === undefined) throw new Error('there was a server for the other tests');
  await act(server.url);
  const administrator = new Client(server.url);
  await administrator.connect();
  onTestFinished(async () => {
    await administrator.end();
    await server.stop();
  });
  const set = async (sql: string): Promise<void> => {
    await administrator.query(sql);
    await administrator.query('SELECT pg_reload_conf()');
  };
  await set("ALTER SYSTEM SET synchronous_standby_names = 'away'");
  return { url: server.url, goOn: () => set('ALTER SYSTEM RESET synchronous_standby_names') };
}

const FOR_STANDBY =
  'waits until a synchronous standby (away) has confirmed a write: start the standby, or empty synchronous_standby_names and reload the server';

async function exportOfNewHub(): Promise<string> {
  const hub = await startHub({ target: ANY_TARGET });
  await hub.stop();
  return outputOf(newCli(ANY_TARGET, { AGENTHUB_DATA: hub.data }), ['export']);
}

describe.skipIf(SERVER === undefined)('a command that waits for a standby says so', () => {
  test.each<[string, string[], (() => Promise<string>)?]>([
    ['user create', ['user', 'create', 'ada']],
    ['cluster resync', ['cluster', 'resync']],
    ['import', ['import', '-'], exportOfNewHub],
  ])('%s', async (_, args, inputOf) => {
    const { url, goOn } = await serverWithoutStandby(prepare);
    const cli = newCli(ANY_TARGET, { AGENTHUB_DATABASE: url, AGENTHUB_DATA: join(temporaryDirectory(), 'data') });
    const input = await inputOf?.();
    const command = start(cli, args, input === undefined ? {} : { input });
    await command.printed(`agenthub: the command ${FOR_STANDBY}\n`);
    await goOn();
    expect((await command.ended).code).toBe(0);
    expect(command.stderr()).toMatch(/agenthub: the command goes on after \d+ seconds\n/);
  });
});

describe.skipIf(SERVER === undefined)('a start that waits says so', () => {
  test('for a synchronous standby', async () => {
    const { url, goOn } = await serverWithoutStandby(prepare);
    await expectWait(url, new RegExp(`^the start ${RegExp.escape(FOR_STANDBY)}$`), goOn);
  });

  test('for the lock of the schema', async () => {
    const url = await createEmptyPostgres();
    const other = await clientOn(url);
    await other.query('BEGIN; SELECT pg_advisory_xact_lock(-1)');
    await expectWait(
      url,
      /^the start waits while another hub or command creates, upgrades or checks the tables, in session \d+ \(unnamed\)$/,
      () => other.query('COMMIT'),
    );
  });

  test('for a table', async () => {
    const url = await createPostgres();
    const other = await clientOn(url);
    await other.query("SET application_name = 'repair'; BEGIN; LOCK TABLE hub");
    await expectWait(url, /^the start waits for a lock that session \d+ \(repair\) holds$/, () =>
      other.query('COMMIT'),
    );
  });

  test('for a server that is starting up', async () => {
    const url = new URL(await createPostgres());
    const { port, finish } = await startingServer(new URL(url));
    url.port = String(port);
    await expectWait(
      url.href,
      /^the start waits until the database server accepts connections \(the database system is starting up\)$/,
      finish,
    );
  });
});
