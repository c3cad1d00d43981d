// doctor: its findings for a healthy hub, behind reverse proxies of every kind, and for each defect.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { askThroughSocket } from '../../../server/cli/data/operator-client.ts';
import type { Finding } from '../../../server/domain/health/finding.ts';
import { socketPath } from '../../../server/serve/operator-socket.ts';
import { append, openProxy, type ProxyBehavior, portOf } from '../../support/http/plain-proxy.ts';
import { restClient } from '../../support/http/rest-client.ts';
import { newCertificate } from '../../support/process/certificate.ts';
import { type Cli, newCli, run, start } from '../../support/process/command-line.ts';
import { ANY_TARGET } from '../../support/process/hub-process.ts';
import { hubOfAda } from '../../support/process/registered-hub.ts';
import { startHub, storyOnce, temporaryDirectory } from '../../support/process/running-hub.ts';
import { fingerprint } from '../../support/store/stored-data.ts';

type Report = { code: number | null; found: Readonly<Record<string, Finding>> };

async function runDoctor(cli: Cli, ...flags: string[]): Promise<Report> {
  const { code, stdout, stderr } = await run(cli, ['doctor', ...flags, '-o', 'json']);
  expect(stderr).toBe('');
  const { checks, ok }: { checks: Finding[]; ok: boolean } = JSON.parse(stdout);
  expect(ok).toBe(code === 0);
  for (const { level, says, remedy } of checks)
    expect([says !== '', level === 'ok' || remedy !== undefined]).toEqual([true, true]);
  return { code, found: Object.fromEntries(checks.map((finding) => [finding.check, finding])) };
}

storyOnce('doctor on a running hub', (target) => {
  test('finds no problem and changes nothing', async () => {
    const { hub } = await hubOfAda({ target });
    const { code, found } = await runDoctor(newCli(target), '--data', hub.data);
    expect(code).toBe(0);
    expect(Object.fromEntries(Object.values(found).map(({ check, level }) => [check, level]))).toMatchObject({
      configuration: 'ok',
      permissions: 'ok',
      lock: 'ok',
      schema: 'ok',
      integrity: 'ok',
      clock: 'ok',
      disk: 'ok',
      port: 'ok',
      stream: 'ok',
      'public url': 'ok',
    });
    expect(found.port?.says).toContain(hub.url);
    const { stdout } = await run(newCli(target), ['doctor', '--data', hub.data]);
    expect(stdout).toMatch(/^ok {4}integrity +every page, index, constraint, text and value is intact$/m);
    expect(await hub.stop()).toBe(0);
    const before = fingerprint(hub.data)['agenthub.db'];
    expect((await runDoctor(newCli(target), '--data', hub.data, '--port', '0')).found).toMatchObject({
      lock: { level: 'ok' },
      port: { level: 'ok' },
      stream: { level: 'warn' },
    });
    expect(fingerprint(hub.data)['agenthub.db']).toBe(before);
  });

  /** The behavior of a proxy, the hub's trust_proxy setting, and the expected findings. */
  const PROXIES: readonly (readonly [title: string, proxy: ProxyBehavior, trusted: number, expected: object])[] = [
    [
      'that appends the address',
      { forward: append },
      1,
      {
        code: 0,
        found: { 'public url': { level: 'ok' }, 'public stream': { level: 'ok' }, 'client address': { level: 'ok' } },
      },
    ],
    [
      'that sets the address',
      { forward: () => '198.51.100.7' },
      1,
      { code: 0, found: { 'client address': { level: 'ok', says: expect.stringContaining('198.51.100.7') } } },
    ],
    [
      'that is not trusted',
      { forward: append },
      0,
      { code: 0, found: { 'client address': { level: 'warn', remedy: 'set trust_proxy to 1' } } },
    ],
    [
      'counted as two trusted proxies',
      { forward: append },
      2,
      { code: 1, found: { 'client address': { level: 'fail', remedy: 'set trust_proxy to 1' } } },
    ],
    [
      'that passes on forged addresses',
      { forward: (claimed) => claimed },
      1,
      { code: 1, found: { 'client address': { level: 'fail', remedy: 'set trust_proxy to 0' } } },
    ],
    [
      'that buffers events',
      { forward: append, holdsBack: true },
      1,
      {
        code: 1,
        found: {
          'public url': { level: 'ok' },
          'public stream': { level: 'fail', remedy: expect.stringContaining('proxy_buffering off') },
        },
      },
    ],
    [
      'that changes the host',
      { forward: append, host: 'backend.local' },
      1,
      { code: 0, found: { 'host header': { level: 'warn', says: expect.stringContaining('backend.local') } } },
    ],
    [
      'that does not lead to the hub',
      { responses: 502 },
      1,
      { code: 1, found: { 'public url': { level: 'fail', says: expect.stringContaining('unexpected status 502') } } },
    ],
    [
      'that knows no hub that is ready',
      { responses: 503 },
      1,
      { code: 1, found: { 'public url': { level: 'fail', says: expect.stringContaining('is ready (status 503)') } } },
    ],
    [
      'that leads to another hub',
      { responses: 401 },
      1,
      {
        code: 1,
        found: {
          'public url': { level: 'fail', says: expect.stringContaining('the hub that answers is another one') },
        },
      },
    ],
  ];

  test.each(PROXIES)('a proxy %s', async (_, proxy, trusted, expected) => {
    const front = await openProxy(proxy);
    const hub = await startHub({
      target,
      args: ['--public-url', front.url, '--trust-proxy', String(trusted), '--allowed-host', 'backend.local'],
    });
    front.leadTo(hub.url);
    expect(await runDoctor(newCli(target), '--data', hub.data)).toMatchObject(expected);
  });
});

storyOnce('doctor on a hub in trouble', (target) => {
  test.skipIf(process.platform !== 'linux')(
    'reports the limits and the troubles of the hub, not of this shell',
    async () => {
      const { hub } = await hubOfAda({ target, files: 300 });
      const { size: open } = statSync(`/proc/${hub.pid}/fd`);
      expect(spawnSync('prlimit', ['--pid', String(hub.pid), `--nofile=${open + 8}:`]).status).toBe(0);
      await expect.poll(async () => (await fetch(`${hub.url}/health/ready`)).status).toBe(503);
      const { code, found } = await runDoctor(newCli(target), '--data', hub.data);
      expect(code).toBe(1);
      expect(found).toMatchObject({
        'open files': { level: 'warn', says: expect.stringMatching(/^\d+ of \d+ in use by the hub$/) },
        descriptors_low: { level: 'fail', remedy: expect.stringMatching(/\w/) },
      });
    },
  );

  test('prints each result as it comes, and does not wait forever for a hub that hangs', async () => {
    const { hub } = await hubOfAda({ target });
    hub.signal('SIGSTOP');
    const running = start(newCli(target), ['doctor', '--data', hub.data]);
    await expect.poll(running.stdout).toContain('configuration');
    expect(running.stdout()).not.toContain('disk');
    const { code, stdout, stderr } = await running.ended;
    hub.signal('SIGCONT');
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(/^fail {2}operator +the hub that runs on \S+ does not respond\n +→ check its log/m);
    expect(stdout).toContain('disk');
  });

  test('--bundle writes what a supporter needs, without secrets and contents', async () => {
    const secret = 'a-secret-for-the-scraper';
    const { hub, networkToken, userToken } = await hubOfAda({ target, args: ['--metrics-token', secret] });
    const ada = restClient(hub.url, networkToken);
    await ada.post('/api/tasks', { alias: 'telling-alias', task: 'a telling text' });
    await ada.get('/nothing/telling');
    const cli = newCli(target, { AGENTHUB_METRICS_TOKEN: secret });
    const file = join(cli.home, 'support.json');
    const { code, stderr } = await run(cli, ['doctor', '--data', hub.data, '--bundle', file]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining(`wrote the support bundle ${file}`) });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');
    expect(JSON.parse(text)).toMatchObject({
      program: { version: expect.any(String), node: expect.any(String) },
      machine: { processors: expect.any(Number), memory_bytes: expect.any(Number) },
      configuration: { settings: { metrics_token: { value: '(hidden)' }, port: { value: 4747 } } },
      findings: expect.arrayContaining([expect.objectContaining({ check: 'integrity', level: 'ok' })]),
      hub: {
        diagnostics: { troubles: expect.any(Array), sizes: { database_bytes: expect.any(Number) } },
        counters: { operations: { send_task: { ok: 1 } } },
        log: expect.arrayContaining([expect.stringContaining('"error":"not_found"')]),
      },
    });
    for (const private_ of ['telling', secret, networkToken, userToken]) expect(text).not.toContain(private_);
    const again = await run(cli, ['doctor', '--data', hub.data, '--bundle', file]);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('exists; choose another name') });
  });
});

test('doctor opens a new connection for each question, since its checks take longer than the hub keeps one', async () => {
  const data = temporaryDirectory();
  const seen: unknown[] = [];
  const server = createHttpServer((request, response) => {
    seen.push(request.headers.connection);
    response.end('{}');
  });
  onTestFinished(() => void server.close());
  await once(server.listen(socketPath(data)), 'listening');
  for (let time = 0; time < 2; time++) await askThroughSocket(data, { operation: 'doctor', input: {} });
  expect(seen).toEqual(['close', 'close']);
});

describe('doctor with a defect', () => {
  const cli = (): Cli => newCli(ANY_TARGET);

  test('reports only an invalid configuration', async () => {
    expect(await runDoctor(cli(), '--port', 'abc')).toMatchObject({
      code: 1,
      found: { configuration: { level: 'fail', says: expect.stringContaining('--port is "abc"') } },
    });
  });

  test('a directory that others can read, a configuration warning, and a port in use', async () => {
    const data = join(temporaryDirectory(), 'data');
    mkdirSync(data);
    chmodSync(data, 0o755);
    writeFileSync(join(data, 'agenthub.json'), '{"prot": 1}');
    const holder = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void holder.close());
    await once(holder, 'listening');
    expect(await runDoctor(cli(), '--data', data, '--port', String(portOf(holder.address())))).toMatchObject({
      code: 1,
      found: {
        permissions: { level: 'warn', remedy: `chmod 700 ${data}` },
        configuration: { level: 'warn', says: expect.stringContaining('did you mean port?') },
        port: { level: 'fail', says: expect.stringContaining('EADDRINUSE') },
      },
    });
  });

  test('a directory that others can write to', async () => {
    const data = join(temporaryDirectory(), 'data');
    mkdirSync(data);
    chmodSync(data, 0o770);
    expect((await runDoctor(cli(), '--data', data, '--port', '0')).found).toMatchObject({
      permissions: {
        level: 'warn',
        says: `other users can write to ${data} and replace the database`,
        remedy: `chmod 700 ${data}`,
      },
    });
    chmodSync(data, 0o700);
    expect((await runDoctor(cli(), '--data', data, '--port', '0')).found).toMatchObject({
      permissions: { level: 'ok' },
    });
  });

  test.each(['agenthub.db', 'agenthub.lock'])('other users can write to %s', async (name) => {
    const data = await usedData();
    const file = join(data, name);
    chmodSync(file, 0o620);
    expect((await runDoctor(cli(), '--data', data, '--port', '0')).found).toMatchObject({
      permissions: { level: 'warn', says: `other users can write to ${file}`, remedy: `chmod 600 ${file}` },
    });
  });

  test('a damaged database, one of a newer version, and one from the future', async () => {
    const data = await usedData();
    expect((await runDoctor(cli(), '--data', data, '--port', '0')).code).toBe(0);
    await execute(data, `UPDATE audit_log SET created_at = created_at + 3600000`);
    expect(await runDoctor(cli(), '--data', data, '--port', '0')).toMatchObject({
      code: 1,
      found: {
        clock: {
          level: 'fail',
          says: expect.stringContaining('behind the newest record'),
          remedy: expect.stringMatching(/^if the clock is wrong, set it .*; if it is right, .* restore a backup/),
        },
      },
    });
    await execute(data, 'PRAGMA user_version = 99');
    expect(await runDoctor(cli(), '--data', data, '--port', '0')).toMatchObject({
      code: 1,
      found: { database: { level: 'fail', says: expect.stringContaining('has schema 99') } },
    });
    damage(join(data, 'agenthub.db'));
    expect((await runDoctor(cli(), '--data', data, '--port', '0')).found).toMatchObject({
      database: { level: 'fail' },
    });
  });

  test('a log without its database, and an empty database', async () => {
    const data = await usedData();
    const file = join(data, 'agenthub.db');
    rmSync(file);
    writeFileSync(`${file}-wal`, 'the latest writes');
    expect(await runDoctor(cli(), '--data', data, '--port', '0')).toMatchObject({
      code: 1,
      found: {
        database: {
          level: 'fail',
          says: `${file} is missing, but its log ${file}-wal has data`,
          remedy: 'put the file back, or restore a backup, or move the log away to begin with an empty hub',
        },
      },
    });
    rmSync(`${file}-wal`);
    writeFileSync(file, '');
    expect((await runDoctor(cli(), '--data', data, '--port', '0')).found).toMatchObject({
      database: {
        level: 'fail',
        says: `${file} is empty, so what it contained is lost`,
        remedy: 'restore a backup, or delete the file to begin with an empty hub',
      },
    });
  });

  test('a data directory that is mistyped', async () => {
    const data = await usedData();
    const typo = `${data.slice(0, -1)}_`;
    const { code, found } = await runDoctor(cli(), '--data', typo, '--port', '0');
    expect(code).toBe(1);
    expect(found).toMatchObject({
      'data directory': {
        level: 'fail',
        says: `${typo} does not exist`,
        remedy: expect.stringContaining(`did you mean --data ${data}?`),
      },
    });
  });

  test('a public URL whose certificate a private authority signed', async () => {
    const [cert, key] = newCertificate(temporaryDirectory(), 'localhost').map((file) => readFileSync(file));
    const front = createHttpsServer({ cert, key }).listen(0, '127.0.0.1');
    onTestFinished(() => void front.close());
    await once(front, 'listening');
    const url = `https://localhost:${portOf(front.address())}`;
    const { hub } = await hubOfAda({ target: ANY_TARGET, args: ['--public-url', url] });
    expect((await runDoctor(cli(), '--data', hub.data)).found['public url']).toMatchObject({
      level: 'fail',
      says: expect.not.stringContaining('--use-system-ca'),
      remedy: expect.stringMatching(/NODE_USE_SYSTEM_CA=1.*NODE_EXTRA_CA_CERTS/),
    });
  });

  test('--repair on a stopped hub corrects wrong counters and lists them, or reports that there are none', async () => {
    const data = await usedData({ tasks: 2 });
    const repair = (...flags: string[]) => run(cli(), ['doctor', '--repair', '--data', data, ...flags]);
    expect(await repair()).toMatchObject({
      code: 0,
      stdout: 'every counter matches its rows; nothing was changed\n',
      stderr: '',
    });
    await execute(data, 'UPDATE inboxes SET pending = 7');
    await execute(data, 'DELETE FROM task_counts');
    const wrong = [
      { name: expect.stringMatching(/^inboxes\.pending of \S+ builder$/), stored: 7, counted: 2 },
      { name: expect.stringMatching(/^task_counts\.tasks of \S+ delivered$/), stored: 0, counted: 2 },
    ];
    expect((await runDoctor(cli(), '--data', data, '--port', '0')).found.counters).toMatchObject({
      level: 'fail',
      remedy: expect.stringContaining('doctor --repair'),
    });
    const { code, stdout, stderr } = await repair('-o', 'json');
    expect({ code, stderr, ...JSON.parse(stdout) }).toEqual({
      code: 0,
      stderr: '',
      ok: true,
      database: join(data, 'agenthub.db'),
      corrected: wrong,
    });
    expect(await runDoctor(cli(), '--data', data, '--port', '0')).toMatchObject({
      code: 0,
      found: { counters: { level: 'ok' } },
    });
    await execute(data, 'UPDATE inboxes SET pending = 0');
    expect(await repair()).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^corrected: inboxes\.pending of \S+ builder is 0, not 2\n$/),
    });
  });

  test('--repair refuses a running hub, a directory without a hub, and a damaged database', async () => {
    const { hub } = await hubOfAda({ target: ANY_TARGET });
    const refused = async (data: string, line: RegExp) => {
      const { code, stdout, stderr } = await run(cli(), ['doctor', '--repair', '--data', data]);
      expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(line) });
    };
    await refused(hub.data, /^agenthub: a hub is running on \S+; stop it, then run agenthub doctor --repair again\n$/);
    await refused(temporaryDirectory(), /^agenthub: there is no hub in [^\n]+\n$/);
    await hub.stop();
    damage(join(hub.data, 'agenthub.db'));
    await refused(hub.data, /^agenthub: [^\n]* (is damaged|cannot be opened)[^\n]*restore a backup[^\n]*\n$/);
  });

  test('no backup, an old one, an overdue scheduled one, and a recent one', async () => {
    const data = join(temporaryDirectory(), 'data');
    mkdirSync(join(data, 'backups'), { recursive: true, mode: 0o700 });
    const backups = async (...flags: string[]) =>
      (await runDoctor(cli(), '--data', data, '--port', '0', ...flags)).found.backups;
    expect(await backups()).toMatchObject({ level: 'warn', says: 'there is no backup, and backups are not scheduled' });
    const file = join(data, 'backups', 'agenthub-20260101-000000Z.db');
    writeFileSync(file, '');
    const daysAgo = (days: number): number => Date.now() / 1_000 - days * 86_400;
    utimesSync(file, daysAgo(8), daysAgo(8));
    expect(await backups()).toMatchObject({
      level: 'warn',
      says: 'the newest backup is 8 d old, and backups are not scheduled',
    });
    const midnight = new Date().getHours() < 2 ? '12:00' : '00:00'; // due longer than an hour ago
    expect(await backups('--backup-schedule', midnight)).toMatchObject({
      level: 'warn',
      says: 'the newest backup is 8 d old; a scheduled backup is overdue',
    });
    expect(await backups('--backup-schedule', 'hourly')).toMatchObject({ level: 'warn' });
    utimesSync(file, daysAgo(0), daysAgo(0));
    expect(await backups('--backup-schedule', midnight)).toMatchObject({ level: 'ok' });
    expect(await backups()).toMatchObject({ level: 'ok' });
  });

  test.each([
    ['a file', (path: string) => writeFileSync(path, 'mine')],
    ['a link without a target', (path: string) => symlinkSync('/nowhere/backups', path)],
    ['a link to itself', (path: string) => symlinkSync(path, path)],
  ])('%s in the place of the backups fails', async (_, put) => {
    const data = join(temporaryDirectory(), 'data');
    mkdirSync(data, { mode: 0o700 });
    put(join(data, 'backups'));
    const { found } = await runDoctor(cli(), '--data', data, '--port', '0');
    expect(found.backups).toMatchObject({ level: 'fail', says: 'backups is a file, or a link without a target' });
  });

  test('a damaged database with a backup names it, and so does a log without its database', async () => {
    const data = await usedData();
    const database = join(data, 'agenthub.db');
    const backups = join(data, 'backups');
    mkdirSync(backups, { mode: 0o700 });
    const backup = join(backups, 'agenthub-20260101-030000Z.db');
    copyFileSync(database, backup);
    writeFileSync(join(backups, 'agenthub-20291231-000000Z.db'), 'no database');
    const restore = `restore a backup: agenthub restore ${backup} --data ${data}`;
    truncateSync(database, 5_000);
    const { found } = await runDoctor(cli(), '--data', data, '--port', '0');
    expect(found.database).toMatchObject({ level: 'fail', remedy: restore });
    rmSync(database);
    writeFileSync(`${database}-wal`, 'the latest writes');
    const without = await runDoctor(cli(), '--data', data, '--port', '0');
    expect(without.found.database?.remedy).toContain(`put the file back, or ${restore}, or move the log away`);
  });

  test('a bundle in a directory that does not exist is refused before the checks', async () => {
    const { code, stdout, stderr } = await run(cli(), ['doctor', '--bundle', '/no/such/directory/bundle.json']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe('agenthub: the directory /no/such/directory does not exist; create it first\n');
  });

  test('a stopped hub without its database, but with backups, is told to restore the newest', async () => {
    const data = await usedData();
    const backups = join(data, 'backups');
    mkdirSync(backups, { mode: 0o700 });
    const files = ['20260101-030000Z', '20260102-030000Z'].map((at) => join(backups, `agenthub-${at}.db`));
    for (const [day, file] of files.entries()) {
      copyFileSync(join(data, 'agenthub.db'), file);
      utimesSync(file, day, day);
    }
    for (const name of readdirSync(data).filter((each) => each.startsWith('agenthub.db'))) rmSync(join(data, name));
    const { found } = await runDoctor(cli(), '--data', data, '--port', '0');
    expect(found.database).toMatchObject({
      level: 'warn',
      remedy: `restore a backup: agenthub restore ${files[1]} --data ${data}`,
    });
  });

  test.skipIf(process.getuid?.() !== 0)('a file of another user that is not the hub’s is no failure', async () => {
    const data = await usedData();
    writeFileSync(join(data, 'notes.txt'), 'mine');
    chownSync(join(data, 'notes.txt'), 54_321, 54_321);
    const { code, found } = await runDoctor(cli(), '--data', data, '--port', '0');
    expect([code, found.permissions]).toMatchObject([
      0,
      { level: 'warn', says: `the owner of ${data} does not own notes.txt in it` },
    ]);
  });

  test('a file in the place of the data directory fails', async () => {
    const file = join(temporaryDirectory(), 'file');
    writeFileSync(file, 'mine');
    const { code, found } = await runDoctor(cli(), '--data', file, '--port', '0');
    expect([code, found.permissions]).toMatchObject([1, { level: 'fail', says: `${file} is not a directory` }]);
  });

  test('a hub whose directory was deleted while it runs must not be stopped', async () => {
    const { hub } = await hubOfAda({ target: ANY_TARGET });
    rmSync(hub.data, { recursive: true });
    const { found } = await runDoctor(cli(), '--data', hub.data, '--port', new URL(hub.url).port);
    expect(found.port).toMatchObject({ level: 'fail', says: `a hub responds at ${hub.url}` });
    expect(found.port?.remedy).toContain('do not stop it');
  });

  test.skipIf(process.getuid?.() !== 0)(
    'a directory of root with the files of a service is given to that service',
    async () => {
      const data = await usedData();
      for (const name of readdirSync(data)) chownSync(join(data, name), 54_321, 54_321);
      const { found } = await runDoctor(cli(), '--data', data, '--port', '0');
      expect(found.permissions).toMatchObject({
        says: `root owns ${data}, but not the files in it`,
        remedy: expect.stringContaining(`chown --reference=${join(data, 'agenthub.db')} ${data}`),
      });
    },
  );

  async function usedData({ tasks = 0 } = {}): Promise<string> {
    const { hub, networkToken } = await hubOfAda({ target: ANY_TARGET });
    for (let task = 0; task < tasks; task++)
      await restClient(hub.url, networkToken).post('/api/tasks', { alias: 'builder', task: `task ${task}` });
    await hub.stop();
    return hub.data;
  }
});

async function execute(data: string, sql: string): Promise<void> {
  const client = createClient({ url: `file:${join(data, 'agenthub.db')}`, concurrency: 1 });
  await client.execute(sql);
  client.close();
}

/** Overwrites pages in the middle of the file. */
function damage(file: string): void {
  const open = openSync(file, 'r+');
  writeSync(open, Buffer.alloc(8_192, 0x5a), 0, 8_192, Math.floor(statSync(file).size / 2));
  closeSync(open);
}
