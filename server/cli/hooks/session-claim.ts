// Which process waits for a session, and which process the session is. The newest waiter of a session takes it over, so
// a waiter that is left behind never needs to be cleaned up.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { machineTime } from '../../domain/time/clock.ts';
import { DAY_MS, SECOND_MS } from '../../domain/time/time.ts';
import { configurationDirectory } from '../client/access/private-file.ts';

export type SessionClaim = { isHeld(): boolean; release(): void };

/** An agent on a hub, and the session of its client. */
export type WaitingSession = { url: string; alias: string; session: string };

export function claimSession(session: WaitingSession): SessionClaim {
  const file = claimOf(session);
  mkdirSync(directory(), { recursive: true, mode: 0o700 });
  forgetOld();
  writeFileSync(file, String(process.pid), { mode: 0o600 });
  const isHeld = (): boolean => {
    try {
      return readFileSync(file, 'utf8') === String(process.pid);
    } catch {
      return false;
    }
  };
  return { isHeld, release: () => void (isHeld() && writeFileSync(file, '')) };
}

/** A client may end a turn before it tells the model that a command has ended. */
const NOTICED_MS = 30 * SECOND_MS;

/**
 * Whether something waited for this session before, and nothing has for a while, not even a command that is just
 * starting.
 */
export function hasLostWaiter(session: WaitingSession): boolean {
  const file = claimOf(session);
  const endedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (endedAt === undefined) return false;
  const holder = readFileSync(file, 'utf8');
  if (holder === '' ? machineTime.wall() - endedAt < NOTICED_MS : isAlive(Number(holder))) return false;
  const { stdout } = spawnSync('ps', ['-e', '-o', 'args='], { encoding: 'utf8' });
  return !(stdout ?? '').split('\n').some((args) => /\bwake\b/.test(args) && args.includes(session.session));
}

// Not in a directory that other users can write to.
const directory = (): string => join(configurationDirectory(), 'waiting');

function claimOf({ url, alias, session }: WaitingSession): string {
  const name = createHash('sha256').update(`${url} ${alias} ${session}`).digest('hex').slice(0, 32);
  return join(directory(), name);
}

const KEPT_MS = 30 * DAY_MS;

/** Those of sessions that ended long ago. */
function forgetOld(): void {
  const files = readdirSync(directory()).map((name) => join(directory(), name));
  for (const file of files) {
    const { mtimeMs = Infinity } = statSync(file, { throwIfNoEntry: false }) ?? {};
    if (mtimeMs < machineTime.wall() - KEPT_MS) rmSync(file, { force: true });
  }
}

const SHELLS: readonly string[] = ['sh', 'bash', 'dash', 'ash', 'zsh', 'ksh', 'fish', 'busybox'];

/** The process that runs the hook: the nearest ancestor that is not a shell. */
export function ownerOf(pid: number): number {
  const [parent = 0] = parentAndName(pid);
  const [, name = ''] = parentAndName(parent);
  return parent > 1 && SHELLS.includes(name) ? ownerOf(parent) : parent;
}

/** Whether the client runs a single prompt. It would wait for a background shell before it ends. */
export function isHeadless(client: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'args=', '-p', String(client)], { encoding: 'utf8' });
  return /\s(?:-p|--prompt)(?:[\s=]|$)/.test(stdout ?? '');
}

function parentAndName(pid: number): [parent?: number, name?: string] {
  if (process.platform === 'linux') return fromProc(pid);
  const { stdout } = spawnSync('ps', ['-o', 'ppid=,comm=', '-p', String(pid)], { encoding: 'utf8' });
  const [, parent, name] = /^\s*(\d+)\s+-?(.*?)\s*$/.exec(stdout ?? '') ?? [];
  if (parent !== undefined) return [Number(parent), basename(name ?? '')];
  return pid === process.pid ? [process.ppid] : [];
}

/** Without another process: a hook has little time. */
function fromProc(pid: number): [parent?: number, name?: string] {
  try {
    const [, name, parent] = /^\d+ \((.*)\) \S (\d+) /s.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? [];
    return parent === undefined ? [] : [Number(parent), name ?? ''];
  } catch {
    return []; // it has ended
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
