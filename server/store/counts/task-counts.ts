// Counts the tasks of each status per network. Tasks sent within a group of writes are added once per group; triggers
// of the schema follow their transitions.
import type { TaskStatus } from '../../domain/task-status.ts';
import { type GatheredCounts, gatherCounts } from '../engine/gathered-counts.ts';
import type { NetworkSeqs } from '../engine/network-seqs.ts';
import { placeholders } from '../engine/placeholders.ts';
import type { Reader } from '../engine/transaction.ts';

export type StatusCount = { status: TaskStatus; count: number };

/** Counts over all these networks together; statuses without tasks are omitted. */
export function countByStatus(reader: Reader, networks: readonly string[]): Promise<StatusCount[]> {
  return reader.all(
    `SELECT status, sum(tasks) AS count FROM task_counts WHERE network_seq IN (${placeholders(networks)}) AND tasks > 0
     GROUP BY status ORDER BY status`,
    networks.map(reader.networkSeq),
    'task_counts',
  );
}

/** The tasks sent within one transaction. */
export type SentTasks = {
  /** Counts one task that was just stored. */
  add(networkId: string, status: TaskStatus): void;
};

export function sentInGroup(networkSeqs: Pick<NetworkSeqs, 'of'>): SentTasks & { counts: GatheredCounts } {
  const counts = gatherCounts({ table: 'task_counts', key: ['network_seq', 'status'], column: 'tasks' });
  return { counts, add: (networkId, status) => void (counts.of(networkSeqs.of(networkId), status).more += 1) };
}
