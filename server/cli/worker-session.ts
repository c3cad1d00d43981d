// The session a worker is seen as. One alias has one worker: a second one is refused, and one whose alias was taken ends.
import { hostname } from 'node:os';
import type { sessionRecord, SessionStatus } from '../domain/session.ts';
import { VERSION } from '../version.ts';
import { CommandError } from './exit-codes.ts';
import { HubRefused, isPassing, type HubClient } from './hub-client.ts';
import { age } from './output.ts';
import { lastCharacters } from './task-output.ts';

export type WorkerSession = {
  /** Throws AliasTaken when somebody else reports as this alias. A hub that is away is not minded: the next report tells. */
  report(status: SessionStatus, details?: Details): Promise<void>;
};

export type Details = { task?: string; output?: string; progress?: number | undefined };

/** From here on, nothing may be said under the alias. */
export class AliasTaken extends CommandError {}

const MAX_RESUME_ID = 200;

/** A worker that comes back on the same machine goes on as the session it was. */
export async function openSession(hub: HubClient, alias: string, mayTakeOver: boolean): Promise<WorkerSession> {
  const resumeId = lastCharacters(`${hostname()}/${alias}`, MAX_RESUME_ID);
  const identity = {
    resume_id: resumeId, alias, agent: 'worker', version: VERSION, hostname: hostname(), project_dir: process.cwd(), session_id: String(process.pid),
  };
  if (!mayTakeOver) await assertFree(hub, alias, resumeId);
  const report = async (status: SessionStatus, details: Details = {}): Promise<void> => {
    const { warning } = await hub.tool<{ warning?: string }>('report_status', { ...identity, status, ...details });
    if (warning !== undefined && !mayTakeOver) throw new AliasTaken(`another session took over ${alias} (${warning}); ended, and left its task to it`);
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

async function assertFree(hub: HubClient, alias: string, resumeId: string): Promise<void> {
  const session = await findSession(hub, alias);
  if (session === undefined || session.status === 'offline') return;
  if (session.resume_id !== resumeId) {
    const where = session.hostname === null ? '' : ` on ${session.hostname}`;
    throw new CommandError(`${alias} is in use by ${session.resume_id}${where}, seen ${age(session.last_seen_at)} ago; choose another alias, or take it with --take-over`);
  }
  if (isAnotherProcess(session)) {
    throw new CommandError(`a worker for ${alias} runs on this machine already (process ${session.session_id}); end it, or take its place with --take-over`);
  }
}

async function findSession(hub: HubClient, alias: string): Promise<Known | undefined> {
  try {
    return (await hub.tool<{ session: Known }>('get_session_status', { alias })).session;
  } catch (error) {
    if (error instanceof HubRefused && error.code === 'session not found') return undefined;
    throw error;
  }
}

// A worker that was killed leaves its process id behind, and nobody who has it.
function isAnotherProcess({ session_id }: Known): boolean {
  const pid = Number(session_id);
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
