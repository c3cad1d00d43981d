// What happened to each task, one row for its sending and each move, which is also its event of the stream (see events.ts).
import type { Millis } from '../domain/clock.ts';
import type { StoredTaskEvent } from '../domain/task-event.ts';
import type { Reader } from './database.ts';
import { networkIdOf } from './network-seqs.ts';
import { listNewest, type Page } from './newest.ts';

const SELECTED = `${networkIdOf('e')}, t.task_id, e.from_status, e.to_status, e.actor, e.detail, e.created_at`;
const SOURCE = 'task_events e JOIN tasks t ON t.task_seq = e.task_seq';

export function list(reader: Reader, filter: { task_id?: string | undefined }, page: Page): Promise<StoredTaskEvent[]> {
  const where = [['e.task_seq = (SELECT x.task_seq FROM tasks x WHERE x.task_id = ?)', filter.task_id]] as const;
  return listNewest(reader, { select: SELECTED, from: SOURCE, network: { seq: 'e.network_seq' }, sequence: 'e.event_seq', where }, page);
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
     FROM task_events WHERE network_seq = ?2 AND created_at >= ?3
       AND event_seq > coalesce((SELECT event_seq FROM task_events WHERE network_seq = ?2 AND created_at < ?3 ORDER BY event_seq DESC LIMIT 1), 0)
       AND (from_status IS NULL OR to_status IN ('replied', 'failed', 'cancelled', 'expired')) GROUP BY 1, 2`,
    [bucketMs, reader.networkSeq(network), since],
  );
}

/** The latest events of one task, newest first. */
export function listOfTask(reader: Reader, taskSeq: number, limit: number): Promise<StoredTaskEvent[]> {
  return reader.all(`SELECT ${SELECTED}, e.event_seq AS seq FROM ${SOURCE} WHERE e.task_seq = ? ORDER BY e.event_seq DESC LIMIT ?`, [taskSeq, limit]);
}
