// Stores completions.
import type { Completion } from '../domain/completion.ts';
import { networkIdOf } from './engine/network-seqs.ts';
import { placeholders } from './engine/placeholders.ts';
import type { Reader, Transaction } from './engine/transaction.ts';
import { listNewest, type Page } from './lists/newest.ts';

const COLUMNS = [
  'id',
  'alias',
  'task',
  'result',
  'artifacts',
  'score',
  'duration_minutes',
  'task_id',
  'completed_at',
] as const satisfies readonly (keyof Completion)[];

export function list(
  reader: Reader,
  filter: { alias?: string | undefined },
  page: Page,
): Promise<(Completion & { seq: number })[]> {
  const where = [['alias = ?', filter.alias]] as const;
  const select = `${COLUMNS.join(', ')}, ${networkIdOf('completions')}`;
  return listNewest(
    reader,
    { select, from: 'completions', network: { seq: 'network_seq' }, sequence: 'completion_seq', where },
    page,
  );
}

export async function insert(tx: Transaction, completion: Completion): Promise<void> {
  await tx.run(`INSERT INTO completions (network_seq, ${COLUMNS.join(', ')}) VALUES (?, ${placeholders(COLUMNS)})`, [
    tx.networkSeq(completion.network_id),
    ...COLUMNS.map((column) => completion[column]),
  ]);
}
