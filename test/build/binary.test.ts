import { type ChildProcess, type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { build } from '../../build/index.ts';
import { DIST } from '../../build/step.ts';
import { VERSION } from '../../server/version.ts';

const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
/** Root can mount: each process has its own mount namespace, which ends with it. */
const mayMount = isRoot && spawnSync('unshare', ['--mount', 'true']).status === 0;

let elsewhere: string;
let agenthub: string;
let directory: string;
let hubs: ChildProcess[] = [];

beforeAll(async () => {
  await build();
  // A copy that every user can read, away from node_modules, because the checkout may be in a private home. Outside of
  // vitest's temporary directory, which the tests below mount over.
  elsewhere = mkdtempSync('/tmp/agenthub-binary-');
  chmodSync(elsewhere, 0o755);
  agenthub = join(elsewhere, 'agenthub');
  copyFileSync(join(DIST, 'agenthub'), agenthub);
}, 120_000);

afterAll(() => rmSync(elsewhere, { recursive: true, force: true }));

beforeEach(() => {
  directory = mkdtempSync(join(elsewhere, 'run-'));
  chmodSync(directory, 0o777);
});

afterEach(async () => {
  await Promise.all(hubs.map(stopped));
  hubs = [];
});

test.skipIf(process.platform !== 'linux')('needs no newer glibc than README and the Debian package say', () => {
  const versions = ['node', 'libsql.node'].flatMap((part) => {
    const text = readFileSync(join(DIST, part)).toString('latin1');
    return [...text.matchAll(/\bGLIBC_2\.(\d+)\0/g)].map(([, minor]) => Number(minor));
  });
  expect(Math.max(...versions)).toBe(28);
});

describe('the executable, alone in an empty directory with an empty environment', () => {
  test('prints its version and touches nothing', () => {
    expect(run(['--version'])).toMatchObject({ status: 0, stdout: `${VERSION}\n`, stderr: '' });
    expect(readdirSync(directory)).toEqual([]);
  });

  test('prints its version to another user', { skip: !isRoot }, () => {
    const result = run(['--version'], { uid: NOBODY, gid: NOBODY });
    expect(result).toMatchObject({ status: 0, stdout: `${VERSION}\n` });
  });

  test('ignores NODE_OPTIONS', () => {
    const result = run(['--version'], { env: { NODE_OPTIONS: '--require /nothing/there.js' } });
    expect(result).toMatchObject({ status: 0, stdout: `${VERSION}\n` });
  });

  test('serves API and console, and hashes passwords', async () => {
    const { url } = await serve([]);
    await expectWhole(url);
  });

  test('serves as another user', { skip: !isRoot }, async () => {
    const { url } = await serve([], { uid: NOBODY, gid: NOBODY });
    await expectWhole(url);
  });

  test('leaves nothing in the temporary directory', async () => {
    const temporary = join(directory, 'tmp');
    mkdirSync(temporary);
    await serve(['--data', join(directory, 'data')], { env: { TMPDIR: temporary } });
    expect(readdirSync(temporary)).toEqual([]);
  });

  test('serves when only the data directory can load a library', { skip: !mayMount }, async () => {
    const { url } = await serve([], {
      env: { AGENTHUB_DATA: '/mnt' },
      mounts: [...closed, 'mount -t tmpfs tmpfs /mnt'],
    });
    await expectWhole(url);
  });

  test('and when that is set on the command line', { skip: !mayMount }, async () => {
    const { url } = await serve(['--data', '/mnt/data'], { mounts: [...closed, 'mount -t tmpfs tmpfs /mnt'] });
    await expectWhole(url);
  });

  test('prints one line with a solution when no directory can load a library', { skip: !mayMount }, () => {
    const mounts = [...closed, 'mount -t tmpfs -o noexec tmpfs /mnt'];
    const { status, stderr } = run(['--port', '0'], { env: { AGENTHUB_DATA: '/mnt' }, mounts });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^agenthub: cannot load the database engine .*\/dev\/shm: .*; .*: set TMPDIR to .*\n$/);
  });
});

/** As in a hardened container: writable files cannot be executed. */
const closed = ['mount -t tmpfs -o noexec tmpfs /dev/shm', 'mount --bind -o ro /tmp /tmp'];

type Options = { env?: Record<string, string>; uid?: number; gid?: number; mounts?: string[] };

function run(args: string[], options: Options = {}): SpawnSyncReturns<string> {
  const [command, ...rest] = commandOf(args, options);
  return spawnSync(command, rest, { ...placed(options), encoding: 'utf8' });
}

/** Resolves once the hub prints its address. */
async function serve(args: string[], options: Options = {}): Promise<{ url: string }> {
  const [command, ...rest] = commandOf(['--port', '0', ...args], options);
  const hub = spawn(command, rest, { ...placed(options), stdio: ['ignore', 'pipe', 'inherit'] });
  hubs.push(hub);
  for await (const line of createInterface(hub.stdout)) {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (url) return { url };
  }
  throw new Error('the hub ended before it listened');
}

function commandOf(args: string[], { mounts }: Options): [string, ...string[]] {
  if (!mounts) return [agenthub, ...args];
  return ['/usr/bin/unshare', '--mount', 'sh', '-ec', `${mounts.join('; ')}; exec "$0" "$@"`, agenthub, ...args];
}

function placed({ env = {}, uid, gid, mounts }: Options): {
  cwd: string;
  env: Record<string, string>;
  uid?: number;
  gid?: number;
} {
  const path = mounts ? { PATH: process.env['PATH'] ?? '' } : {};
  return { cwd: directory, env: { ...path, ...env }, ...(uid && { uid }), ...(gid && { gid }) };
}

async function expectWhole(url: string): Promise<void> {
  expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'ok', version: VERSION });
  const page = await (await fetch(url)).text();
  const script = /src="(\/assets\/main-\w+\.js)"/.exec(page)?.[1];
  expect((await fetch(url + script)).headers.get('content-type')).toContain('javascript');
  expect(await register(url)).toBe(200);
}

async function register(url: string): Promise<number> {
  const body = JSON.stringify({ username: 'someone', password: 'a secret' });
  const result = await fetch(`${url}/api/auth/register`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  });
  return result.status;
}

async function stopped(hub: ChildProcess): Promise<void> {
  if (hub.exitCode !== null || hub.signalCode !== null) return;
  hub.kill();
  await once(hub, 'exit');
}
