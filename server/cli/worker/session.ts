// The session a worker is seen as. One alias has one worker: a second is refused unless it takes over, and one whose
// alias was taken ends.
import { hostname } from 'node:os';
import { MAX_NAME } from '../../domain/limits.ts';
import type { SessionStatus, sessionRecord } from '../../domain/session.ts';
import { VERSION } from '../../version.ts';
import { type HubClient, HubRefused, isPassing } from '../client/hub-client.ts';
import { CommandError } from '../exit-codes.ts';
import { age } from '../output.ts';
import { lastCharacters } from './command-output.ts';

export type WorkerSession = {
  /**
   * Throws AliasTaken when somebody else reports as this alias. A hub that is away is not minded: the next report
   * tells.
   */
  report(status: SessionStatus, details?: Details): Promise<void>;
};

export type Details = { task?: string; output?: string; progress?: number | undefined };

/** From here on, nothing may be said under the alias. */
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
    // The one whose place this worker took reports once more before it learns of that.
    const isOfBefore = before !== undefined && warning?.includes(before.resume_id);
    if (warning !== undefined && !isOfBefore)
      throw new AliasTaken(`${alias} was taken over (${warning}); its tasks are left to the other`);
  };
  await report('idle', { task: '' });
  return {
    report: async (status, details) => {
      await report(status, details).catch((error: unknown) => {
        if (!isPassing(error)) throw error;
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

// A worker of this machine that was killed is known by its process, which is no more.
function assertFree({ alias, status, agent, resume_id, hostname: host, session_id, last_seen_at }: Known): void {
  if (status === 'offline') return;
  if (agent !== 'worker' || host !== hostname()) {
    throw new CommandError(
      `${alias} is in use by ${resume_id}${host === null ? '' : ` on ${host}`}, seen ${age(last_seen_at)} ago; choose another alias, or pass --take-over`,
    );
  }
  if (isAnotherProcess(Number(session_id))) {
    throw new CommandError(
      `a worker for ${alias} runs on this machine already (process ${session_id}); end it, or pass --take-over`,
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
