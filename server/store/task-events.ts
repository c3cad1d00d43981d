// Reads the task events: one row for the sending and each transition of a task, which is also its stream event (see
// events.ts).
import { SENT_STATUS, type StoredTaskEvent } from '../domain/task-event.ts';
import { networkIdOf } from './engine/network-seqs.ts';
import type { Reader } from './engine/transaction.ts';
import { listNewest, type Page } from './lists/newest.ts';

/** A sending is stored without it: half of all task events are sendings. */
export const TO_STATUS = `coalesce(e.to_status, '${SENT_STATUS}')`;

const SELECTED = `${networkIdOf('e')}, t.task_id, e.from_status, ${TO_STATUS} AS to_status, e.actor, e.detail, e.created_at`;
const SOURCE = 'task_events e JOIN tasks t ON t.task_seq = e.task_seq';

export function list(reader: Reader, filter: { task_id?: string | undefined }, page: Page): Promise<StoredTaskEvent[]> {
  const where = [['e.task_seq = (SELECT x.task_seq FROM tasks x WHERE x.task_id = ?)', filter.task_id]] as const;
  return listNewest(
    reader,
    { select: SELECTED, from: SOURCE, network: { seq: 'e.network_seq' }, sequence: 'e.event_seq', where },
    page,
  );
}

/** Lists the latest events of one task, newest first. */
export function listOfTask(reader: Reader, taskSeq: number, limit: number): Promise<StoredTaskEvent[]> {
  return reader.all(
    `SELECT ${SELECTED}, e.event_seq AS seq FROM ${SOURCE} WHERE e.task_seq = ? ORDER BY e.event_seq DESC LIMIT ?`,
    [taskSeq, limit],
  );
}
