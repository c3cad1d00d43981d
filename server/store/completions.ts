// Completion records, as agents reported them.
import type { Completion } from '../domain/completion.ts';
import type { Transaction } from './database.ts';
import { placeholders } from './placeholders.ts';

const COLUMNS = [
  'id', 'network_id', 'alias', 'task', 'result', 'artifacts', 'score', 'duration_minutes', 'task_id', 'completed_at',
] as const satisfies readonly (keyof Completion)[];

export async function insert(tx: Transaction, completion: Completion): Promise<void> {
  await tx.run(
    `INSERT INTO completions (${COLUMNS.join(', ')}) VALUES (${placeholders(COLUMNS)})`,
    COLUMNS.map((column) => completion[column]),
  );
}
