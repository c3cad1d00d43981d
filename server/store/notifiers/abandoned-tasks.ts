// Finds running tasks whose agent stopped working on them: it went offline, or is idle.
import type { Millis } from '../../domain/time/clock.ts';
import type { Reader } from '../engine/transaction.ts';
import { SHOWN, type TaskRow } from './needs.ts';

/** `agent_status` is the status of the assignee, which it has had since `at`. */
export type HeldTask = TaskRow & { task_seq: number; agent_status: 'offline' | 'idle' };

/** The moment at which an agent stopped: after `since`, and not after `until`. */
export type Window = { since: Millis; until: Millis };

/** The next `rows` tasks after this number. */
export type TasksAfter = { after: number; rows: number };

/**
 * Looks at the next `rows` running tasks of a network. Returns those whose agent stopped within the window and after
 * the task was started, and the task to continue from.
 */
export async function listAbandoned(
  reader: Reader,
  networkSeq: number,
  { since, until }: Window,
  { after, rows }: TasksAfter,
): Promise<{ found: HeldTask[]; next: number | undefined }> {
  const page = await reader.all<{ task_seq: number }>(
    `SELECT t.task_seq FROM tasks t WHERE t.network_seq = ? AND t.status = 'running' AND t.task_seq > ?
     ORDER BY t.task_seq LIMIT ?`,
    [networkSeq, after, rows],
  );
  const last = page.at(-1)?.task_seq;
  if (last === undefined) return { found: [], next: undefined };
  const found = await reader.all<HeldTask>(
    `SELECT t.task_seq, t.network_seq, t.task_id, t.from_name, t.to_name, t.status, substr(t.content, 1, ${SHOWN}) AS text,
       NULL AS result, t.expires_at, s.status_since AS at,
       CASE WHEN s.marked_offline = 1 THEN 'offline' ELSE s.status END AS agent_status
     FROM tasks t JOIN sessions s ON s.network_seq = t.network_seq AND s.alias = t.to_name
     WHERE t.network_seq = ?1 AND t.status = 'running' AND t.task_seq > ?2 AND t.task_seq <= ?3
       AND (s.marked_offline = 1 OR s.status IN ('offline', 'idle')) AND s.status_since > ?4 AND s.status_since <= ?5
       AND t.started_at <= s.status_since ORDER BY t.task_seq`,
    [networkSeq, after, last, since, until],
  );
  return { found, next: page.length < rows ? undefined : last };
}
