// The session of a worker. An alias has one worker: a second one is refused unless it takes over, and a worker whose
// alias was taken over exits.
import { hostname } from 'node:os';
import { MAX_NAME } from '../../domain/limits.ts';
import type { SessionStatus, sessionRecord } from '../../domain/session.ts';
import { VERSION } from '../../version.ts';
import { type HubClient, HubRefused, isTransient } from '../client/hub-client.ts';
import { CommandError } from '../exit-codes.ts';
import { age } from '../output.ts';
import { lastCharacters } from './command-output.ts';

export type WorkerSession = {
  /** Throws AliasTaken if another session reports as this alias. Ignores an unreachable hub: reports are repeated. */
  report(status: SessionStatus, details?: Details): Promise<void>;
};

export type Details = { task?: string; output?: string; progress?: number | undefined };

/** After this error, the worker must not report as this alias. */
export class AliasTaken extends CommandError {}

export async function openSession(hub: HubClient, alias: string, mayTakeOver: boolean): Promise<WorkerSession> {
  const before = await findSession(hub, alias);
  if (before !== undefined && !mayTakeOver) assertFree(before);
  const identity = {
    resume_id: lastCharacters(`${hostname()}/${alias}/${process.pid}`, MAX_NAME),
    alias,
    agent: 'worker',
    version: VERSION,
    hostname: hostname(),
    project_dir: process.cwd(),
    session_id: String(process.pid),
  };
  const report = async (status: SessionStatus, details: Details = {}): Promise<void> => {
    const { warning } = await hub.tool<{ warning?: string }>('report_status', { ...identity, status, ...details });
    // A worker that was replaced reports once more before it notices.
    const isFromReplaced = before !== undefined && warning?.includes(before.resume_id);
    if (warning !== undefined && !isFromReplaced)
      throw new AliasTaken(`${alias} was taken over (${warning}); the other session now handles its tasks`);
  };
  await report('idle', { task: '' });
  return {
    report: async (status, details) => {
      await report(status, details).catch((error: unknown) => {
        if (!isTransient(error)) throw error;
      });
    },
  };
}

type Known = ReturnType<typeof sessionRecord>;

async function findSession(hub: HubClient, alias: string): Promise<Known | undefined> {
  try {
    return (await hub.tool<{ session: Known }>('get_session_status', { alias })).session;
  } catch (error) {
    if (error instanceof HubRefused && error.code === 'session not found') return undefined;
    throw error;
  }
}

// A worker that was killed on this machine does not block the alias: its process no longer exists.
function assertFree({ alias, status, agent, resume_id, hostname: host, session_id, last_seen_at }: Known): void {
  if (status === 'offline') return;
  if (agent !== 'worker' || host !== hostname()) {
    throw new CommandError(
      `${alias} is in use by ${resume_id}${host === null ? '' : ` on ${host}`}, seen ${age(last_seen_at)} ago; choose another alias, or pass --take-over`,
    );
  }
  if (isAnotherProcess(Number(session_id))) {
    throw new CommandError(
      `a worker for ${alias} is already running on this machine (process ${session_id}); stop it, or pass --take-over`,
    );
  }
}

function isAnotherProcess(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
