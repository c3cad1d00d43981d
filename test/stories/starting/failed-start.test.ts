// A hub cannot start with its settings: the port, the address, the directory or a value is wrong.
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { register, restClient } from '../../support/http/rest-client.ts';
import { runsAsRoot } from '../../support/process/hub-process.ts';
import { expectRefusal, on, usedData } from '../../support/process/refused-start.ts';
import { startHub, story, storyOnce, temporaryDirectory } from '../../support/process/running-hub.ts';

const NOBODY = 65_534;
const OTHER = 4_747;

story('a failed start', (target) => {
  test('the port is in use', async () => {
    const directory = temporaryDirectory();
    const port = await takenPort();
    const cause = `cannot listen on 127.0.0.1:${port}: the port is in use`;
    await expectRefusal({ target, args: ['--port', port, '--data', join(directory, 'new')] }, directory, cause);
  });

  test('a value is invalid', async () => {
    const directory = temporaryDirectory();
    const args = ['--data', join(directory, 'new'), '--port', '65536'];
    await expectRefusal({ target, args }, directory, '--port is "65536" but must be a whole number from 0 to 65535', 2);
  });
});

storyOnce('a start that fails because of its settings or its directory', (target) => {
  test('the port is in use, and the data is from an earlier run', async () => {
    const data = await usedData(target);
    const port = await takenPort();
    await expectRefusal(
      { target, args: ['--port', port, '--data', data] },
      data,
      `cannot listen on 127.0.0.1:${port}: the port is in use`,
    );
  });

  test('the address does not belong to this machine', async () => {
    const directory = temporaryDirectory();
    const args = ['--port', '0', '--host', '192.0.2.1', '--data', join(directory, 'new')];
    await expectRefusal({ target, args }, directory, 'cannot listen on 192.0.2.1');
  });

  test('the data directory cannot be created because a file is in the way', async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'file'), 'mine');
    const data = join(directory, 'file', 'data');
    await expectRefusal({ target, args: on(data) }, directory, `cannot write the data directory ${data}`);
  });

  test('the data directory is a file', async () => {
    const file = join(temporaryDirectory(), 'file');
    writeFileSync(file, 'mine');
    await expectRefusal(
      { target, args: on(file) },
      join(file, '..'),
      `the data directory ${file} is a file; choose another with --data`,
    );
  });

  test('the data directory cannot be created, because the system has no directories there', async () => {
    const data = '/proc/agenthub/data';
    await expectRefusal({ target, args: on(data) }, temporaryDirectory(), `cannot write the data directory ${data}`);
  });

  test('the data directory is read-only', async () => {
    const data = join(temporaryDirectory(), 'data');
    mkdirSync(data);
    chmodSync(join(data, '..'), 0o755);
    chmodSync(data, 0o555);
    await expectRefusal(
      { target, args: on(data), ...(runsAsRoot && { uid: NOBODY }) },
      data,
      `cannot write the data directory ${data}`,
    );
  });

  test.skipIf(!runsAsRoot)('the data directory belongs to another user', async () => {
    const data = await usedData(target);
    chmodSync(data, 0o000);
    await expectRefusal({ target, args: on(data), uid: NOBODY }, data, 'this user cannot enter the directory', 2);
  });

  test.skipIf(!runsAsRoot)('the data directory belongs to another user and is writable by everyone', async () => {
    const data = await usedData(target);
    chmodSync(data, 0o777);
    chownSync(data, OTHER, OTHER);
    for (const name of readdirSync(data)) chmodSync(join(data, name), 0o666);
    await expectRefusal(
      { target, args: on(data), uid: NOBODY },
      data,
      `the data directory ${data} belongs to another user (uid ${OTHER})`,
    );
  });

  test.skipIf(!runsAsRoot)("the database in root's directory belongs to another user", async () => {
    const data = await usedData(target);
    chmodSync(data, 0o777);
    chownSync(join(data, 'agenthub.db'), OTHER, OTHER);
    chmodSync(join(data, 'agenthub.db'), 0o666);
    await expectRefusal(
      { target, args: on(data), uid: NOBODY },
      data,
      `${join(data, 'agenthub.db')} belongs to another user (uid ${OTHER})`,
    );
  });

  test.skipIf(!runsAsRoot)('the database cannot be written by its owner', async () => {
    const data = await usedData(target);
    const file = join(data, 'agenthub.db');
    for (const path of [data, ...readdirSync(data).map((name) => join(data, name))]) chownSync(path, NOBODY, NOBODY);
    chmodSync(file, 0o400);
    await expectRefusal(
      { target, args: on(data), uid: NOBODY },
      data,
      `${file} cannot be read and written by the user that runs this (uid ${NOBODY})`,
    );
  });

  test.each(['agenthub.db', 'agenthub.lock'])(
    '%s is writable by others: it is made private, with a warning',
    async (name) => {
      const data = await usedData(target);
      chmodSync(join(data, name), 0o666);
      const hub = await startHub({ target, data });
      expect(hub.output()).toContain(`others could write to ${join(data, name)}; it is private now (mode 600)`);
      expect(modesIn(data).filter(([, mode]) => (mode & 0o077) !== 0)).toEqual([]);
      expect(await hub.stop()).toBe(0);
      const again = await startHub({ target, data });
      expect(again.output()).not.toContain('others could write');
    },
  );

  test.skipIf(!runsAsRoot)('root serves a database of another user in its own directory, with a warning', async () => {
    const data = await usedData(target);
    chownSync(join(data, 'agenthub.db'), OTHER, OTHER);
    const hub = await startHub({ target, data });
    expect(hub.output()).toContain(
      `${join(data, 'agenthub.db')} belongs to another user than ${data} (uid ${OTHER}); chown --reference=${data} ${join(data, 'agenthub.db')}`,
    );
  });

  test.skipIf(!runsAsRoot)(
    'root serves the directory of another user, and leaves every file to that user',
    async () => {
      const data = temporaryDirectory();
      chownSync(data, OTHER, OTHER);
      const hub = await startHub({ target, data });
      const owners = () =>
        readdirSync(data)
          .filter((name) => name !== 'agenthub.sock')
          .map((name) => [name, statSync(join(data, name)).uid]);
      expect(owners().filter(([, uid]) => uid !== OTHER)).toEqual([]);
      expect(await hub.stop()).toBe(0);
      expect(owners().filter(([, uid]) => uid !== OTHER)).toEqual([]);
    },
  );

  test('the data directory is writable by others: a warning only, because a container volume may require it', async () => {
    const data = temporaryDirectory();
    chmodSync(data, 0o775);
    const hub = await startHub({ target, data });
    expect(hub.output()).toContain(
      `others may write to the data directory ${data} and replace the database; chmod 700 ${data}`,
    );
    expect(await hub.stop()).toBe(0);
    chmodSync(data, 0o755);
    const again = await startHub({ target, data });
    expect(again.output()).not.toContain('others may write');
    expect(await again.stop()).toBe(0);
  });

  test.skipIf(!runsAsRoot)('a group-writable directory of root is accepted, as Kubernetes mounts it', async () => {
    const data = temporaryDirectory();
    chownSync(data, 0, NOBODY);
    chmodSync(data, 0o2770);
    const hub = await startHub({ target, data, uid: NOBODY });
    expect(await hub.stop()).toBe(0);
  });

  test('another hub uses this data directory, and keeps running', async () => {
    const hub = await startHub({ target });
    const { userToken } = await register(hub.url);
    await expectRefusal(
      { target, args: on(hub.data) },
      hub.data,
      `another agenthub is using this data directory (PID ${hub.pid} at ${hub.url}; ${join(hub.data, 'agenthub.lock')} is locked); stop it`,
    );
    expect((await restClient(hub.url, userToken).get('/api/auth/me')).status).toBe(200);
    expect(await hub.stop()).toBe(0);
  });

  test('another hub uses this data directory and its port', async () => {
    const hub = await startHub({ target });
    const port = new URL(hub.url).port;
    await expectRefusal(
      { target, args: ['--port', port, '--data', hub.data] },
      hub.data,
      `cannot listen on 127.0.0.1:${port}: the port is in use; another agenthub is using this data directory (PID ${hub.pid} at ${hub.url}; ${join(hub.data, 'agenthub.lock')} is locked); stop it`,
    );
    expect(await hub.stop()).toBe(0);
  });

  test.skipIf(process.platform !== 'linux')('a hub that hangs uses this data directory', async () => {
    const hub = await startHub({ target });
    hub.signal('SIGSTOP');
    await expectRefusal(
      { target, args: on(hub.data) },
      hub.data,
      `another agenthub is using this data directory (PID ${hub.pid}; ${join(hub.data, 'agenthub.lock')} is locked); stop it`,
    );
    hub.signal('SIGCONT');
    expect(await hub.stop()).toBe(0);
  });

  for (const [args, env, line] of WRONG_VALUES) {
    test(`an invalid value: ${[...args, ...Object.entries(env).flat()].join(' ')}`, async () => {
      const directory = temporaryDirectory();
      await expectRefusal({ target, args: ['--data', join(directory, 'new'), ...args], env }, directory, line, 2);
    });
  }

  test('the same directory and a free port start, which proves that the failures above had the stated causes', async () => {
    const data = await usedData(target);
    const again = await startHub({ target, data });
    expect(await restClient(again.url).get('/health')).toMatchObject({ status: 200, body: { status: 'ok' } });
  });
});

const WRONG_VALUES: readonly [args: string[], env: Record<string, string>, line: string][] = [
  [['--port', 'http'], {}, '--port is "http" but must be a whole number from 0 to 65535'],
  [[], { AGENTHUB_PORT: '-1' }, 'AGENTHUB_PORT is "-1" but must be a whole number from 0 to 65535'],
  [['--data', ''], {}, '--data is "" but must be a non-empty path or name'],
  [['--offline-after-seconds', '0'], {}, '--offline-after-seconds is "0" but must be a whole number from 1 to 86400'],
  [['--sweep-seconds', '60'], {}, '--sweep-seconds is "60" but must be a whole number from 1 to 59'],
  [['--trial-days', 'soon'], {}, '--trial-days is "soon" but must be a number from 0 to 36500'],
  [['--log-level', 'loud'], {}, '--log-level is "loud" but must be one of debug, info, warn, error'],
];

async function takenPort(): Promise<string> {
  const holder = createServer();
  onTestFinished(() => void holder.close());
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
  const address = holder.address();
  if (typeof address !== 'object' || address === null) throw new Error('the holder of the port has none');
  return String(address.port);
}

function modesIn(data: string): [name: string, mode: number][] {
  return readdirSync(data).map((name) => [name, statSync(join(data, name)).mode]);
}
