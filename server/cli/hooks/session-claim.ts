// Which process waits for a session, and which process the session is. The newest waiter of a session takes it over, so
// a waiter that is left behind never needs to be cleaned up.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { configurationDirectory } from '../client/access/private-file.ts';

export type SessionClaim = { isHeld(): boolean; release(): void };

export function claimSession(session: string): SessionClaim {
  const name = createHash('sha256').update(session).digest('hex').slice(0, 32);
  // Not in a directory that other users can write to.
  const directory = join(configurationDirectory(), 'waiting');
  const file = join(directory, name);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeFileSync(file, String(process.pid), { mode: 0o600 });
  const isHeld = (): boolean => {
    try {
      return readFileSync(file, 'utf8') === String(process.pid);
    } catch {
      return false;
    }
  };
  return { isHeld, release: () => void (isHeld() && rmSync(file, { force: true })) };
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
