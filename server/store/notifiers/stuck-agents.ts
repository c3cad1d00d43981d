// Finds the agents that work without progress, and remembers those that were notified as stuck.

import { taskProgressAt } from '../../domain/stuck.ts';
import type { Task } from '../../domain/task.ts';
import type { Millis } from '../../domain/time/clock.ts';
import { inEach } from '../engine/sql.ts';
import type { Reader, Transaction } from '../engine/transaction.ts';

export type WorkingAgent = {
  session_seq: number;
  alias: string;
  status: 'working';
  last_progress_at: Millis;
  last_seen_at: Millis;
};

/** The position of a working agent in the order of their progress. */
export type Place = Pick<WorkingAgent, 'session_seq' | 'last_progress_at'>;

/** Lists working agents of a network whose reports show no progress since `before`, in the order of their progress. */
export function listUnprogressed(
  reader: Reader,
  networkSeq: number,
  { before, after, limit }: { before: Millis; after: Place; limit: number },
): Promise<WorkingAgent[]> {
  return reader.all(
    `SELECT s.session_seq, s.alias, s.status, s.last_progress_at, s.last_seen_at FROM sessions s
     WHERE s.network_seq = ?1 AND s.status = 'working' AND s.marked_offline = 0 AND s.last_progress_at <= ?2
       AND (s.last_progress_at, s.session_seq) > (?3, ?4) ORDER BY s.last_progress_at, s.session_seq LIMIT ?5`,
    [networkSeq, before, after.last_progress_at, after.session_seq, limit],
  );
}

/** Of the tasks that were sent last: an earlier one is rarely settled after all of them. */
const SETTLED_READ = 20;

type Moved = Pick<Task, 'status' | 'started_at' | 'completed_at'>;

/** When an agent last started or settled one of its tasks; undefined if it did neither. */
export async function findTaskProgress(reader: Reader, networkSeq: number, alias: string): Promise<Millis | undefined> {
  const running = await reader.all<Moved>(
    `SELECT t.status, t.started_at, t.completed_at FROM tasks t
     WHERE t.network_seq = ? AND t.to_name = ? AND t.completed_at IS NULL AND t.status = 'running'`,
    [networkSeq, alias],
  );
  const settled = await reader.all<Moved>(
    `SELECT t.status, t.started_at, t.completed_at FROM tasks t
     WHERE t.network_seq = ? AND t.to_name = ? AND t.completed_at IS NOT NULL ORDER BY t.task_seq DESC LIMIT ${SETTLED_READ}`,
    [networkSeq, alias],
  );
  const moments = [...running, ...settled].flatMap((task) => taskProgressAt(task) ?? []);
  return moments.length === 0 ? undefined : Math.max(...moments);
}

/** Whether an agent has a live task, or had one that ended since it was last seen. */
export async function hasTaskSinceSeen(reader: Reader, networkSeq: number, alias: string): Promise<boolean> {
  const live = await reader.first(
    'SELECT 1 AS live FROM tasks t WHERE t.network_seq = ? AND t.to_name = ? AND t.completed_at IS NULL LIMIT 1',
    [networkSeq, alias],
  );
  if (live !== undefined) return true;
  const ended = await reader.first(
    `SELECT 1 AS ended FROM (SELECT t.completed_at FROM tasks t
       WHERE t.network_seq = ?1 AND t.to_name = ?2 AND t.completed_at IS NOT NULL ORDER BY t.task_seq DESC LIMIT ${SETTLED_READ}) t
     JOIN sessions s ON s.network_seq = ?1 AND s.alias = ?2 AND t.completed_at >= s.last_seen_at LIMIT 1`,
    [networkSeq, alias],
  );
  return ended !== undefined;
}

/** The agents of a network that were notified as stuck, with their progress at that time. */
export function listNotified(reader: Reader, networkSeq: number): Promise<Place[]> {
  return reader.all('SELECT session_seq, last_progress_at FROM stalled_agents WHERE network_seq = ?', [networkSeq]);
}

export async function markNotified(tx: Transaction, agents: readonly Place[]): Promise<void> {
  await tx.run(
    inEach(
      ({ pairs }) => `INSERT INTO stalled_agents (session_seq, network_seq, last_progress_at)
        SELECT s.session_seq, s.network_seq, p.second FROM ${pairs('?', 'number')} p JOIN sessions s ON s.session_seq = p.first WHERE TRUE
        ON CONFLICT (session_seq) DO UPDATE SET last_progress_at = excluded.last_progress_at`,
    ),
    [JSON.stringify(agents.map(({ session_seq, last_progress_at }) => [session_seq, last_progress_at]))],
  );
}

/** The agents made progress, or stopped working. */
export async function markProgressed(tx: Transaction, agents: readonly Place[]): Promise<void> {
  await tx.run(
    inEach(({ numbers }) => `DELETE FROM stalled_agents WHERE session_seq IN ${numbers('?')}`),
    [JSON.stringify(agents.map(({ session_seq }) => session_seq))],
  );
}

export async function markAllProgressed(tx: Transaction, networkSeq: number): Promise<void> {
  await tx.run('DELETE FROM stalled_agents WHERE network_seq = ?', [networkSeq]);
}
