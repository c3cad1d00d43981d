// Stores stream events in the transaction of their cause; they are published after the commit. Replay and live delivery
// share one sequence. A task transition is only a row in task_events, and an event that announces a message only refers
// to it: their data is built when someone reads it.
import { type NewEvent, type StreamEvent, streamEvent } from '../domain/events.ts';
import { taskRecord } from '../domain/task.ts';
import type { TaskMove } from '../domain/task-event.ts';
import * as durationCounts from './counts/duration-counts.ts';
import * as moveCounts from './counts/move-counts.ts';
import { statementsFor } from './engine/placeholders.ts';
import { inEach } from './engine/sql.ts';
import type { Reader, SqlValue, Transaction } from './engine/transaction.ts';

/** The items that a write emits, in order. */
export type Emitted = { event: NewEvent } | { move: TaskMove };

const EVENT_COLUMNS = ['seq', 'network_seq', 'alias', 'name', 'message_seq', 'data', 'created_at'];
const MOVE_COLUMNS = [
  'event_seq',
  'network_seq',
  'task_seq',
  'from_status',
  'to_status',
  'actor',
  'detail',
  'is_event',
  'alias',
  'created_at',
];
const eventInserts = statementsFor(`INSERT INTO events (${EVENT_COLUMNS.join(', ')}) VALUES`, EVENT_COLUMNS.length);
const moveInserts = statementsFor(`INSERT INTO task_events (${MOVE_COLUMNS.join(', ')}) VALUES`, MOVE_COLUMNS.length);

export type Storing = Pick<Transaction, 'run' | 'now' | 'networkSeq' | 'numberEvents' | 'pause'>;

/**
 * Stores the items in order, with consecutive numbers, once per group of writes, before its commit. Items of a network
 * that the group removed have no reader and are dropped.
 */
export async function append(tx: Storing, everything: readonly Emitted[]): Promise<StreamEvent[]> {
  const emitted = everything.filter((item) => tx.networkSeq(networkOf(item)) !== null);
  if (emitted.length === 0) return [];
  const { published, events, moves } = number(tx, emitted, await tx.numberEvents(emitted.length));
  const transitions = emitted.flatMap((item) => ('move' in item ? [item.move] : []));
  await Promise.all([
    storeRows(tx, eventInserts(events)),
    storeRows(tx, moveInserts(moves)),
    moveCounts.add(tx, transitions),
    durationCounts.add(tx, transitions),
  ]);
  return published;
}

function networkOf(emitted: Emitted): string {
  return 'move' in emitted ? emitted.move.task.network_id : emitted.event.network_id;
}

async function storeRows(tx: Storing, pieces: readonly { sql: string; piece: readonly SqlValue[][] }[]): Promise<void> {
  for (const { sql, piece } of pieces) {
    await tx.run(sql, piece.flat());
    await tx.pause();
  }
}

type Numbered = { published: StreamEvent[]; events: SqlValue[][]; moves: SqlValue[][] };

function number(tx: Storing, emitted: readonly Emitted[], latest: number): Numbered {
  const [published, events, moves]: [StreamEvent[], SqlValue[][], SqlValue[][]] = [[], [], []];
  let announced: SqlValue[] | undefined; // the row of the preceding transition
  let seq = latest;
  for (const item of emitted) {
    seq += 1;
    if ('move' in item) {
      published.push(liveMove(item.move, seq, tx.now));
      announced = moveRow(tx, item.move, seq);
      moves.push(announced);
      continue;
    }
    published.push(liveEvent(item.event, seq, tx.now));
    if (!announce(announced, item.event, seq)) events.push(eventRow(tx, item.event, seq));
    announced = undefined;
  }
  return { published, events, moves };
}

/** The new_task event directly after the sending of its task becomes part of that task_events row. */
function announce(sending: SqlValue[] | undefined, { alias, data }: NewEvent, seq: number): boolean {
  if (sending === undefined || data.type !== 'new_task' || sending[FROM_STATUS] !== null) return false;
  sending[EVENT_SEQ] = seq;
  sending[ALIAS] = alias;
  return true;
}

const [EVENT_SEQ, FROM_STATUS, ALIAS] = [
  MOVE_COLUMNS.indexOf('event_seq'),
  MOVE_COLUMNS.indexOf('from_status'),
  MOVE_COLUMNS.indexOf('alias'),
];

function moveRow(tx: Storing, { task, from_status, actor, detail }: TaskMove, seq: number): SqlValue[] {
  const to_status = from_status === null ? null : task.status; // see TO_STATUS
  return [seq, tx.networkSeq(task.network_id), task.task_seq, from_status, to_status, actor, detail, 1, null, tx.now];
}

function eventRow(tx: Storing, { network_id, alias, data, message_seq }: NewEvent, seq: number): SqlValue[] {
  const shown = message_seq === undefined ? JSON.stringify(data) : null;
  return [seq, tx.networkSeq(network_id), alias, data.type, message_seq ?? null, shown, tx.now];
}

function liveMove({ task }: TaskMove, seq: number, now: number): StreamEvent {
  const { network_id, task_id } = task;
  return streamEvent({ seq, network_id, alias: null, name: 'task', created_at: now, task_id }, () => ({
    type: 'task',
    ...taskRecord(task),
  }));
}

function liveEvent({ network_id, alias, data, inbox }: NewEvent, seq: number, now: number): StreamEvent {
  return streamEvent(
    {
      seq,
      network_id,
      alias,
      name: data.type,
      created_at: now,
      ...(alias !== null && 'message_id' in data && { message_id: data.message_id }),
      ...(data.type === 'task' && { task_id: data.task_id }),
      ...(inbox !== undefined && { inbox }),
    },
    () => data,
  );
}

/** Events can be replayed from positions between `after` and `latest`. */
export type StreamPosition = { epoch: string; after: number; latest: number };

const POSITION = inEach(
  ({ latestEvent: latest }) => `SELECT epoch, events_after AS after, ${latest} AS latest FROM hub`,
);

export async function position(reader: Reader): Promise<StreamPosition> {
  const found = await reader.first<StreamPosition>(POSITION);
  if (found === undefined) throw new Error('the hub row is missing');
  return found;
}
