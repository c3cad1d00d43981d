// What happened to each task, one row a move, written in the transaction of the move.
import type { StoredTaskEvent, TaskEvent } from '../domain/task-event.ts';
import type { Reader, Transaction } from './database.ts';
import { listNewest, type Page } from './newest.ts';

const COLUMNS = ['network_id', 'task_id', 'from_status', 'to_status', 'actor', 'detail'] as const satisfies readonly (keyof TaskEvent)[];
const SELECTED = `${COLUMNS.join(', ')}, created_at`;

export async function insert(tx: Transaction, event: TaskEvent): Promise<void> {
  await tx.run(`INSERT INTO task_events (${SELECTED}) VALUES (?, ?, ?, ?, ?, ?, ?)`, [...COLUMNS.map((column) => event[column]), tx.now]);
}

export function list(reader: Reader, filter: { task_id?: string | undefined }, page: Page): Promise<StoredTaskEvent[]> {
  const where = [['task_id = ?', filter.task_id]] as const;
  return listNewest(reader, { select: SELECTED, from: 'task_events', network: 'network_id', sequence: 'event_seq', where }, page);
}

/** All events of one task, oldest first. */
export function listOfTask(reader: Reader, taskId: string): Promise<StoredTaskEvent[]> {
  return reader.all(`SELECT ${SELECTED}, event_seq AS seq FROM task_events WHERE task_id = ? ORDER BY event_seq`, [taskId]);
}
