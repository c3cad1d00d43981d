// How many tasks of each status a network has. What is sent while a group of writes runs is stored once for the group;
// the schema follows what becomes of a task.
import type { TaskStatus } from '../../domain/task-status.ts';
import { type GatheredCounts, gatherCounts } from '../engine/gathered-counts.ts';
import type { NetworkSeqs } from '../engine/network-seqs.ts';
import { placeholders } from '../engine/placeholders.ts';
import type { Statements } from '../engine/statements.ts';
import type { Reader } from '../engine/transaction.ts';

export type StatusCount = { status: TaskStatus; count: number };

/** Of all these networks together; a status that no task has is left out. */
export function countByStatus(reader: Reader, networks: readonly string[]): Promise<StatusCount[]> {
  return reader.all(
    `SELECT status, sum(tasks) AS count FROM task_counts WHERE network_seq IN (${placeholders(networks)}) AND tasks > 0
     GROUP BY status ORDER BY status`,
    networks.map(reader.networkSeq),
    'task_counts',
  );
}

/** The tasks sent in one transaction. */
export type SentTasks = {
  /** Counts one task that was just stored. */
  add(networkId: string, status: TaskStatus): void;
};

export function sentInGroup(statements: Statements, networkSeqs: NetworkSeqs): SentTasks & { counts: GatheredCounts } {
  const counts = gatherCounts(statements, { table: 'task_counts', key: ['network_seq', 'status'], column: 'tasks' });
  return { counts, add: (networkId, status) => void (counts.of(networkSeqs.of(networkId), status).more += 1) };
}
