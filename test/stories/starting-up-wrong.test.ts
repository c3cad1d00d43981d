// A hub that cannot start says why in one line, ends with code 1 (2 where it was told something wrong), and leaves
// everything as it found it.
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { expect, onTestFinished, test } from 'vitest';
import type { Launch, Target } from '../support/hub-process.ts';
import { SCHEMA_VERSION } from '../../server/store/schema.ts';
import { register, restClient } from '../support/rest-client.ts';
import { runToItsEnd, startHub, story, temporaryDirectory } from '../support/running-hub.ts';
import { fingerprint } from '../support/stored-data.ts';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

story('starting up wrong', (target) => {
  test('the port is taken', async () => {
    const place = temporaryDirectory();
    const port = await takenPort();
    const cause = `cannot listen on 127.0.0.1:${port}: the port is taken`;
    await expectRefusal({ target, args: ['--port', port, '--data', join(place, 'new')] }, place, cause);
  });

  test('the port is taken, and the data is of an earlier run', async () => {
    const data = await usedData(target);
    const port = await takenPort();
    await expectRefusal({ target, args: ['--port', port, '--data', data] }, data, `cannot listen on 127.0.0.1:${port}: the port is taken`);
  });

  test('the address is not of this machine', async () => {
    const place = temporaryDirectory();
    const args = ['--port', '0', '--host', '192.0.2.1', '--data', join(place, 'new')];
    await expectRefusal({ target, args }, place, 'cannot listen on 192.0.2.1');
  });

  test('the data directory cannot be made, since a file is in the way', async () => {
    const place = temporaryDirectory();
    writeFileSync(join(place, 'file'), 'mine');
    const data = join(place, 'file', 'data');
    await expectRefusal({ target, args: on(data) }, place, `cannot write the data directory ${data}`);
  });

  test('the data directory may be read and not written', async () => {
    const data = join(temporaryDirectory(), 'data');
    mkdirSync(data);
    chmodSync(join(data, '..'), 0o755);
    chmodSync(data, 0o555);
    await expectRefusal({ target, args: on(data), ...(isRoot && { uid: NOBODY }) }, data, `cannot write the data directory ${data}`);
  });

  test.skipIf(!isRoot)('the data directory is another user’s', async () => {
    const data = await usedData(target);
    chmodSync(data, 0o000);
    await expectRefusal({ target, args: on(data), uid: NOBODY }, data, 'cannot be read: EACCES; be root, or the user the hub runs as', 2);
  });

  test('the database is another user’s, and may not be opened', async () => {
    const data = await usedData(target);
    chmodSync(data, 0o777);
    chmodSync(join(data, 'agenthub.lock'), 0o666);
    chmodSync(join(data, 'agenthub.db'), 0o000);
    await expectRefusal({ target, args: on(data), ...(isRoot && { uid: NOBODY }) }, data, join(data, 'agenthub.db'));
  });

  test('a hub runs on this data already, and goes on', async () => {
    const hub = await startHub({ target });
    const { userToken } = await register(hub.url);
    await expectRefusal({ target, args: on(hub.data) }, hub.data, 'another agenthub runs on this data directory');
    expect((await restClient(hub.url, userToken).get('/api/auth/me')).status).toBe(200);
    expect(await hub.stop()).toBe(0);
  });

  test('the database is newer than the program', async () => {
    const data = await usedData(target);
    await execute(data, 'PRAGMA user_version = 99');
    const cause = `${join(data, 'agenthub.db')} has schema 99, and this agenthub knows schemas up to ${SCHEMA_VERSION}`;
    await expectRefusal({ target, args: on(data) }, data, cause);
  });

  // Opening a database that a killed program left makes SQLite move the log into it: the bytes change, what they say does not.
  test('the database is newer, and its last program was killed', async () => {
    const hub = await startHub({ target });
    const { userToken } = await register(hub.url);
    await hub.kill('SIGKILL');
    const left = temporaryDirectory();
    await execute(hub.data, 'PRAGMA user_version = 99', () => cpSync(hub.data, left, { recursive: true, filter: (path) => !path.endsWith('.sock') }));
    const { code, stderr } = await runToItsEnd({ target, args: on(left) });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^agenthub: [^\n]+ has schema 99, [^\n]+\n$/);

    await execute(left, `PRAGMA user_version = ${SCHEMA_VERSION}`);
    const restored = await startHub({ target, data: left });
    expect((await restClient(restored.url, userToken).get('/api/auth/me')).status).toBe(200);
  });

  test('the database is of another program', async () => {
    const data = temporaryDirectory();
    await execute(data, 'CREATE TABLE recipes (name TEXT)');
    const cause = `${join(data, 'agenthub.db')} is a database of another program`;
    await expectRefusal({ target, args: on(data) }, data, cause);
  });

  test('the database is damaged', async () => {
    const data = await usedData(target);
    await execute(data, "INSERT INTO audit_log (actor, action, target_type, created_at) VALUES ('test', CAST(x'ff' AS TEXT), 'test', 0)");
    await expectRefusal({ target, args: on(data) }, data, `${join(data, 'agenthub.db')} is damaged (a text in audit_log is not UTF-8)`);
  });

  test('the database is no database', async () => {
    const data = temporaryDirectory();
    writeFileSync(join(data, 'agenthub.db'), 'Dear diary, today I chose a file name that was taken.\n'.repeat(100));
    await expectRefusal({ target, args: on(data) }, data, join(data, 'agenthub.db'));
  });

  for (const [args, env, line] of WRONG_VALUES) {
    test(`a wrong value: ${[...args, ...Object.entries(env).flat()].join(' ')}`, async () => {
      const place = temporaryDirectory();
      await expectRefusal({ target, args: ['--data', join(place, 'new'), ...args], env }, place, line, 2);
    });
  }

  test('the same directory and a free port start: the refusals above were for the reasons they gave', async () => {
    const data = await usedData(target);
    const again = await startHub({ target, data });
    expect(await restClient(again.url).get('/health')).toMatchObject({ status: 200, body: { status: 'ok' } });
  });
});

const WRONG_VALUES: readonly [args: string[], env: Record<string, string>, line: string][] = [
  [['--port', '65536'], {}, '--port is "65536" but must be a whole number from 0 to 65535'],
  [['--port', 'http'], {}, '--port is "http" but must be a whole number from 0 to 65535'],
  [[], { AGENTHUB_PORT: '-1' }, 'AGENTHUB_PORT is "-1" but must be a whole number from 0 to 65535'],
  [['--data', ''], {}, '--data is "" but must be a path or name, not empty'],
  [['--offline-after-seconds', '0'], {}, '--offline-after-seconds is "0" but must be a whole number from 1 to 86400'],
  [['--sweep-seconds', '60'], {}, '--sweep-seconds is "60" but must be a whole number from 1 to 59'],
  [['--trial-days', 'soon'], {}, '--trial-days is "soon" but must be a number from 0 to 36500'],
  [['--log-level', 'loud'], {}, '--log-level is "loud" but must be one of debug, info, warn, error'],
];

/** One line on standard error that names the cause, the code, and not a byte below `place` changed. */
async function expectRefusal(options: Launch, place: string, cause: string, code = 1): Promise<void> {
  const before = fingerprint(place);
  const { stderr, ...ending } = await runToItsEnd(options);
  expect.soft(stderr).toMatch(/^agenthub: [^\n]+\n$/);
  expect.soft(stderr).toContain(cause);
  expect.soft(ending).toEqual({ code, signal: null, stdout: '' });
  expect(fingerprint(place)).toEqual(before);
}

function on(data: string): string[] {
  return ['--port', '0', '--data', data];
}

async function takenPort(): Promise<string> {
  const holder = createServer();
  onTestFinished(() => void holder.close());
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
  const address = holder.address();
  if (typeof address !== 'object' || address === null) throw new Error('the holder of the port has none');
  return String(address.port);
}

/** The data directory of a hub that ran and ended in order. */
async function usedData(target: Target): Promise<string> {
  const hub = await startHub({ target });
  await restClient(hub.url).get('/health');
  expect(await hub.stop()).toBe(0);
  return hub.data;
}

/** `whileOpen` runs before the connection is closed, which would move the log into the database. */
async function execute(data: string, sql: string, whileOpen = (): void => {}): Promise<void> {
  const client = createClient({ url: `file:${join(data, 'agenthub.db')}`, concurrency: 1 });
  await client.execute(sql);
  whileOpen();
  await client.execute('PRAGMA wal_checkpoint(TRUNCATE)'); // closing leaves it to whenever the engine lets go of its statements
  client.close();
}
