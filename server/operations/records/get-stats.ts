// Counts of sessions and tasks.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { TASK_STATUSES } from '../../domain/task.ts';
import type { Reader } from '../../store/database.ts';
import * as sessions from '../../store/sessions.ts';
import * as tasks from '../../store/tasks.ts';
import { operation } from '../operation.ts';
import { readCurrent } from '../time-passes.ts';

export const getStats = operation({
  name: 'get_stats',
  summary: 'Count sessions and tasks.',
  access: 'read',
  input: v.object({ network_id: fields.networkId }),
  run: (hub, caller) => readCurrent(hub, (reader) => countAll(reader, caller.networks)),
});

/** Every status is there, so that the counts always add up to the total. */
export async function countAll(reader: Reader, networks: readonly string[]) {
  const taskCounts = await tasks.countByStatus(reader, networks);
  const sessionCounts = await sessions.countByStatus(reader, networks);
  const offline = sessionCounts.find(({ status }) => status === 'offline')?.count ?? 0;
  const sessionTotal = sum(sessionCounts);
  const byStatus = Object.fromEntries(TASK_STATUSES.map((name) => [name, taskCounts.find(({ status }) => status === name)?.count ?? 0]));
  return {
    sessions: { total: sessionTotal, online: sessionTotal - offline, offline },
    tasks: { total: sum(taskCounts), ...byStatus },
  };
}

function sum(counts: readonly { count: number }[]): number {
  return counts.reduce((total, { count }) => total + count, 0);
}
