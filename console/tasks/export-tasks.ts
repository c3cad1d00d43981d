// The tasks of a filter as a list to export, with their full texts.
import { MAX_REST_LIMIT } from '../../server/domain/limits.ts';
import type { TaskRecord } from '../../server/domain/task.ts';
import { account } from '../account/account.ts';
import { type ExportList, pagesOf } from '../export/export-list.ts';
import { listTasks } from '../live/api.ts';
import { hubTime } from '../live/clock.ts';
import { network } from '../live/store.ts';
import { queryOf, type TaskFilter } from './task-filter.ts';

const COLUMNS = [
  'task_id',
  'status',
  'priority',
  'from_name',
  'to_name',
  'attempt',
  'created_at',
  'started_at',
  'completed_at',
  'expires_at',
  'content',
  'context',
  'result',
] as const satisfies readonly (keyof TaskRecord)[];

export function tasksToExport(filter: TaskFilter): ExportList {
  return {
    name: 'tasks',
    of: network.value?.network_name ?? '',
    columns: COLUMNS,
    pages: (signal) => {
      const query = {
        ...queryOf(filter, hubTime()),
        network_id: account.value?.network_id,
        limit: MAX_REST_LIMIT,
        partial: 'true',
      } as const;
      return pagesOf(signal, async (cursor) => {
        const { tasks, next_cursor } = await listTasks({ ...query, cursor }, signal);
        return { rows: tasks, next: next_cursor };
      });
    },
  };
}
