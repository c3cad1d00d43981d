// The rows behind the event stream. An event is stored in the transaction of its cause and published after the commit;
// replay and live delivery read the same sequence.
import type { NewEvent, StreamEvent } from '../domain/events.ts';
import type { Reader, SqlValue, Transaction } from './database.ts';
import { statementsFor } from './placeholders.ts';

const inserts = statementsFor('INSERT INTO events (network_id, alias, name, data, created_at) VALUES', 5);

/** Stores events in this order, with consecutive numbers. Called once for a whole group of writes, before its commit. */
export async function append(tx: Pick<Transaction, 'run' | 'now' | 'pause'>, events: readonly NewEvent[]): Promise<StreamEvent[]> {
  const stored: StreamEvent[] = [];
  for (const { sql, piece } of inserts(events)) {
    stored.push(...(await appendRows(tx, sql, piece)));
    await tx.pause();
  }
  return stored;
}

async function appendRows(tx: Pick<Transaction, 'run' | 'now'>, sql: string, events: readonly NewEvent[]): Promise<StreamEvent[]> {
  const rows = events.map((event) => ({
    network_id: event.network_id, alias: event.alias, name: event.data.type, data: JSON.stringify(event.data), created_at: tx.now,
    ...(event.data.type === 'task' && { task_id: event.data.task_id }),
    ...(event.inbox !== undefined && { inbox: event.inbox }),
  }));
  const { lastId } = await tx.run(sql, rows.flatMap((row): SqlValue[] => [row.network_id, row.alias, row.name, row.data, row.created_at]));
  return rows.map((row, index) => ({ ...row, seq: lastId - rows.length + 1 + index }));
}

export type StreamPosition = { epoch: string; oldest: number; latest: number };

/** Where the sequence stands: replay is possible for positions from `oldest - 1` to `latest`. */
export async function position(reader: Reader): Promise<StreamPosition> {
  const found = await reader.first<StreamPosition>(
    `SELECT epoch, coalesce((SELECT min(seq) FROM events), 0) AS oldest,
       coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0) AS latest FROM hub`,
  );
  if (found === undefined) throw new Error('the hub row is missing');
  return found;
}

/** Events after `seq` in order, of one addressee, or of the whole network where `alias` is undefined. */
export function listAfter(reader: Reader, networks: readonly string[], alias: string | undefined, seq: number, limit: number): Promise<StreamEvent[]> {
  const [network, ...others] = networks;
  if (network === undefined) return Promise.resolve([]);
  const within = `network_id IN (?${', ?'.repeat(others.length)})`;
  return reader.all(
    `SELECT seq, network_id, alias, name, data, created_at FROM events
     WHERE ${within} ${alias === undefined ? '' : 'AND alias = ?'} AND seq > ? ORDER BY seq LIMIT ?`,
    [...networks, ...(alias === undefined ? [] : [alias]), seq, limit],
  );
}
