// What happened to each task, one row for its sending and each move, written in the transaction of the move.
import type { Millis } from '../domain/clock.ts';
import type { StoredTaskEvent, TaskEvent } from '../domain/task-event.ts';
import type { Reader, Transaction } from './database.ts';
import { listNewest, type Page } from './newest.ts';
import { statementsFor } from './placeholders.ts';

const COLUMNS = ['network_id', 'task_id', 'from_status', 'to_status', 'actor', 'detail'] as const satisfies readonly (keyof TaskEvent)[];
const SELECTED = `${COLUMNS.join(', ')}, created_at`;

const inserts = statementsFor(`INSERT INTO task_events (${SELECTED}) VALUES`, COLUMNS.length + 1);

/** Stores events in this order. Called once for a whole group of writes, before its commit. */
export async function append(tx: Pick<Transaction, 'run' | 'now'>, events: readonly TaskEvent[]): Promise<void> {
  for (const { sql, piece } of inserts(events)) {
    await tx.run(sql, piece.flatMap((event) => [...COLUMNS.map((column) => event[column]), tx.now]));
  }
}

export function list(reader: Reader, filter: { task_id?: string | undefined }, page: Page): Promise<StoredTaskEvent[]> {
  const where = [['task_id = ?', filter.task_id]] as const;
  return listNewest(reader, { select: SELECTED, from: 'task_events', network: 'network_id', sequence: 'event_seq', where }, page);
}

export type MoveCount = { bucket: number; move: 'sent' | 'replied' | 'failed' | 'cancelled' | 'expired'; count: number };

/** How many tasks were sent and settled since a moment, by bucket (`created_at` divided by `bucketMs`). */
export async function countMoves(reader: Reader, networks: readonly string[], since: Millis, bucketMs: number): Promise<MoveCount[]> {
  const counts: MoveCount[] = [];
  for (const network of networks) counts.push(...(await countMovesOf(reader, network, since, bucketMs)));
  return counts;
}

// The index is in the order of the events, which is that of time: the last one from before bounds those that count.
function countMovesOf(reader: Reader, network: string, since: Millis, bucketMs: number): Promise<MoveCount[]> {
  return reader.all(
    `SELECT created_at / ?1 AS bucket, CASE WHEN from_status IS NULL THEN 'sent' ELSE to_status END AS move, count(*) AS count
     FROM task_events WHERE network_id = ?2 AND created_at >= ?3
       AND event_seq > coalesce((SELECT event_seq FROM task_events WHERE network_id = ?2 AND created_at < ?3 ORDER BY event_seq DESC LIMIT 1), 0)
       AND (from_status IS NULL OR to_status IN ('replied', 'failed', 'cancelled', 'expired')) GROUP BY 1, 2`,
    [bucketMs, network, since],
  );
}

/** The latest events of one task, newest first. */
export function listOfTask(reader: Reader, taskId: string, limit: number): Promise<StoredTaskEvent[]> {
  return reader.all(
    `SELECT ${SELECTED}, event_seq AS seq FROM task_events WHERE task_id = ? ORDER BY event_seq DESC LIMIT ?`,
    [taskId, limit],
  );
}
