// Measures the bytes of text in the rows of each network, one page of rows at a time. octet_length reads the header of
// a row, not the text.
import { networkIdOf } from '../engine/network-seqs.ts';
import type { Reader } from '../engine/transaction.ts';

const TABLES = [
  ['tasks', 'task_seq', ['content', 'context', 'result']],
  ['messages', 'message_seq', ['content', 'response']],
  ['broadcasts', 'broadcast_seq', ['content']],
  ['completions', 'completion_seq', ['task', 'result', 'artifacts']],
  ['nodes', 'node_seq', ['node_id', 'node_name', 'server', 'hostname', 'project_dir', 'version', 'agent', 'model']],
  ['sessions', 'session_seq', ['task', 'output', 'channels']],
  ['task_events', 'event_seq', ['actor', 'detail']],
  ['events', 'seq', ['data']],
] as const;

/** The position in a scan of all tables. */
export type Place = { table: number; after: number };

export const START: Place = { table: 0, after: 0 };

export type TextBytes = { network_id: string; bytes: number };

/** Reads the next rows. Returns the position to continue from; undefined at the end. */
export async function readTextBytes(
  reader: Reader,
  { table, after }: Place,
  limit: number,
): Promise<{ rows: TextBytes[]; next: Place | undefined }> {
  const walked = TABLES[table];
  if (walked === undefined) return { rows: [], next: undefined };
  const [name, sequence, texts] = walked;
  const bytes = texts.map((text) => `coalesce(octet_length(${text}), 0)`).join(' + ');
  const rows = await reader.all<TextBytes & { number: number }>(
    `SELECT ${networkIdOf(name)}, ${sequence} AS number, ${bytes} AS bytes FROM ${name} WHERE ${sequence} > ? ORDER BY ${sequence} LIMIT ?`,
    [after, limit],
  );
  const last = rows.at(-1);
  return {
    rows,
    next: last === undefined || rows.length < limit ? { table: table + 1, after: 0 } : { table, after: last.number },
  };
}
