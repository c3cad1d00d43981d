// Completion records, as agents reported them.
import type { Completion } from '../domain/completion.ts';
import type { Reader, Transaction } from './database.ts';
import { listNewest, type Page } from './newest.ts';
import { placeholders } from './placeholders.ts';

const COLUMNS = [
  'id', 'network_id', 'alias', 'task', 'result', 'artifacts', 'score', 'duration_minutes', 'task_id', 'completed_at',
] as const satisfies readonly (keyof Completion)[];

export function list(reader: Reader, filter: { alias?: string | undefined }, page: Page): Promise<(Completion & { seq: number })[]> {
  const where = [['alias = ?', filter.alias]] as const;
  return listNewest(reader, { select: COLUMNS.join(', '), from: 'completions', network: 'network_id', sequence: 'completion_seq', where }, page);
}

export async function insert(tx: Transaction, completion: Completion): Promise<void> {
  await tx.run(
    `INSERT INTO completions (${COLUMNS.join(', ')}) VALUES (${placeholders(COLUMNS)})`,
    COLUMNS.map((column) => completion[column]),
  );
}
