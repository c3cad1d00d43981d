// Replays missed events in sequence order, each with the current state of its task or message. An event is skipped if
// the message it announced was removed.
import { arrivalOf, type EventName, type StreamEvent, streamEvent } from '../../domain/events.ts';
import type { Message } from '../../domain/message.ts';
import { type Task, taskRecord } from '../../domain/task.ts';
import { networkIdOf } from '../engine/network-seqs.ts';
import type { Reader } from '../engine/transaction.ts';
import { countPending } from '../inboxes.ts';
import * as messages from '../messages.ts';
import * as tasks from '../tasks.ts';
import { listSlice, type Numbered, type Slice, type SlicePage } from './newest.ts';

/** A stored event, or one of the two events of a task_events row. */
type Missed = Pick<StreamEvent, 'seq' | 'network_id' | 'alias' | 'name' | 'created_at'> & {
  message_seq?: number | null;
  task_seq?: number;
  data?: string | null;
};

type Asked = {
  /** Undefined for all networks of the hub. */
  networks: readonly string[] | undefined;
  alias: string | undefined;
  after: number;
  /** The most events, and the most characters of their data unless the first event alone has more. */
  limit: number;
  characters: number;
  /** How many rows are searched, in all networks together. */
  rows: number;
  /** Leaves out the others. */
  isHeard?: ((event: Pick<StreamEvent, 'network_id' | 'alias' | 'name'>) => boolean) | undefined;
  /** How many texts are read at first; more each time after. */
  first?: number;
};

/**
 * Lists the events after a number in order, of one recipient, or of the whole networks if `alias` is undefined. All
 * events up to `end` have been found; it is undefined if there are none after them.
 */
export async function listMissed(reader: Reader, asked: Asked): Promise<Slice<StreamEvent>> {
  const [events, moves] = await Promise.all([listEvents(reader, asked), listMoves(reader, asked)]);
  const end = Math.min(foundTo(events, asked), foundTo(moves, asked));
  const missed = [...events.found, ...moves.found.flatMap((move) => eventsOf(move, asked.alias === undefined))]
    .filter(({ seq }) => seq > asked.after && seq <= end)
    .sort((one, other) => one.seq - other.seq);
  const page = missed.slice(0, asked.limit);
  const last = page.length < missed.length ? page.at(-1)?.seq : end;
  const { isHeard = () => true } = asked;
  const { found, isCut } = await fillPage(
    reader,
    page.filter((event) => isHeard(event)),
    asked,
  );
  return { found, end: isCut ? found.at(-1)?.seq : last === Infinity ? undefined : last };
}

const FIRST_FILLED = 2;

/** Reads few texts at first, since an event may have hundreds of kilobytes, and stops before too many characters. */
async function fillPage(
  reader: Reader,
  missed: readonly Missed[],
  { characters, first = FIRST_FILLED }: Asked,
): Promise<{ found: StreamEvent[]; isCut: boolean }> {
  const found: StreamEvent[] = [];
  let length = 0;
  for (let start = 0, end = first; start < missed.length; start = end, end *= 2) {
    for (const event of await fill(reader, missed.slice(start, end))) {
      length += event.data.length;
      if (length > characters && found.length > 0) return { found, isCut: true };
      found.push(event);
    }
  }
  return { found, isCut: false };
}

function listEvents(reader: Reader, asked: Asked): Promise<Slice<Numbered<Missed>>> {
  const listing = {
    select: `${networkIdOf('events')}, alias, name, message_seq, data, created_at`,
    from: 'events',
    table: 'events',
    network: asked.networks && ({ seq: 'network_seq' } as const),
    sequence: 'seq',
    where: [['alias = ?', asked.alias]] as const,
  };
  return listSlice(reader, listing, pageOf(asked), 'oldest');
}

/** Those that were numbered apart, before schema 4, are no events. */
type Move = { network_id: string; task_seq: number; alias: string | null; created_at: number; is_event: 0 | 1 };

function listMoves(reader: Reader, asked: Asked): Promise<Slice<Numbered<Move>>> {
  const listing = {
    select: `${networkIdOf('task_events')}, task_seq, alias, created_at, is_event`,
    from: 'task_events',
    table: 'task_events',
    network: asked.networks && ({ seq: 'network_seq' } as const),
    sequence: 'event_seq',
    where: [['alias = ?', asked.alias]] as const,
  };
  return listSlice(reader, listing, pageOf(asked), 'oldest');
}

function pageOf({ networks = [], after, limit, rows }: Asked): SlicePage {
  return { networks, beyond: after, limit, rows: Math.ceil(rows / Math.max(1, networks.length)) };
}

/** A full page ends the search before the end of the slice. */
function foundTo({ found, end = Infinity }: Slice<{ seq: number }>, { limit }: Asked): number {
  return found.length < limit ? end : (found.at(-1)?.seq ?? end);
}

function eventsOf({ alias, is_event, ...move }: Numbered<Move>, ofNetwork: boolean): Missed[] {
  if (is_event === 0) return [];
  const announced: Missed[] = alias === null ? [] : [{ ...move, alias, name: 'new_task' }];
  return ofNetwork
    ? [{ ...move, seq: move.seq - announced.length, alias: null, name: 'task' }, ...announced]
    : announced;
}

async function fill(reader: Reader, missed: readonly Missed[]): Promise<StreamEvent[]> {
  const [ofMessages, ofTasks] = await Promise.all([
    messages.listByNumbers(
      reader,
      missed.map(({ message_seq }) => message_seq ?? 0),
    ),
    tasks.listByNumbers(
      reader,
      missed.map(({ task_seq }) => task_seq ?? 0),
    ),
  ]);
  const filled = await Promise.all(
    missed.map((event) => {
      const [message, task] = [ofMessages.get(event.message_seq ?? 0), ofTasks.get(event.task_seq ?? 0)];
      if (task !== undefined) return ofTask(reader, event, task);
      return message === undefined ? asStored(event) : ofMessage(reader, event, message);
    }),
  );
  return filled.filter((event) => event !== undefined);
}

async function ofTask(reader: Reader, event: Missed, task: Task): Promise<StreamEvent> {
  if (event.name === 'task')
    return streamEvent({ ...plain(event), task_id: task.task_id }, () => ({ type: 'task', ...taskRecord(task) }));
  const { task_id, priority, from_name: from } = task;
  const inbox_count = await countPending(reader, event.network_id, event.alias ?? '');
  return streamEvent({ ...plain(event), message_id: task_id }, () => ({
    type: 'new_task',
    inbox_count,
    priority,
    from,
    task_id,
    message_id: task_id,
  }));
}

async function ofMessage(reader: Reader, event: Missed, message: Message): Promise<StreamEvent> {
  const pending = message.type === 'task' ? await countPending(reader, message.network_id, message.alias) : 0;
  return streamEvent({ ...plain(event), message_id: message.id }, () => arrivalOf(message, pending));
}

function asStored({ data, ...event }: Missed): StreamEvent | undefined {
  if (data === undefined || data === null) return undefined;
  return { ...plain(event), data, ...(event.alias !== null && messageIn(data)) };
}

/** Events of earlier schemas were stored with their full data. */
function messageIn(data: string): { message_id?: string } {
  const parsed: unknown = JSON.parse(data);
  return typeof parsed === 'object' && parsed !== null && 'message_id' in parsed
    ? { message_id: String(parsed.message_id) }
    : {};
}

function plain({ seq, network_id, alias, name, created_at }: Missed): {
  seq: number;
  network_id: string;
  alias: string | null;
  name: EventName;
  created_at: number;
} {
  return { seq, network_id, alias, name, created_at };
}
