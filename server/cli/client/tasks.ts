// tasks: lists the tasks of the network, newest first, one page at a time.
import type { TaskRecord } from '../../domain/task.ts';
import type { Priority, TaskStatus } from '../../domain/task-status.ts';
import { age, note, type OutputOptions, sayAnswer, table } from '../output.ts';
import { networkHub } from './access/access.ts';
import type { HubOptions } from './access/hub-options.ts';
import type { Query } from './hub-client.ts';

type TaskFilters = {
  status?: TaskStatus;
  priority?: Priority;
  to?: string;
  from?: string;
  text?: string;
  limit?: number;
  cursor?: string;
};

export type TasksOptions = HubOptions & OutputOptions & TaskFilters;

type TaskList = {
  tasks: TaskRecord[];
  count: number;
  next_cursor?: string;
  stats: { status: TaskStatus; count: number }[];
};

export async function tasks(options: TasksOptions): Promise<void> {
  const hub = await networkHub(options);
  const list = await hub.get<TaskList>('/api/tasks', queryOf(options));
  sayAnswer(options, list, describe);
  if (list.next_cursor !== undefined && options.output !== 'json')
    note(`more tasks exist; repeat with --cursor ${list.next_cursor}`);
}

function queryOf({ status, priority, to, from, text, limit, cursor }: TaskFilters): Query {
  return { to_name: to, from_name: from, status, priority, text, limit, cursor };
}

function describe({ tasks, stats }: TaskList): string {
  if (stats.length === 0) return 'there are no tasks yet';
  const counts = stats.map(({ status, count }) => `${count} ${status}`).join(', ');
  return `${tasks.length === 0 ? 'no matching tasks' : table(HEADINGS, tasks.map(row))}\n\ntotal: ${counts}`;
}

const HEADINGS = ['TASK', 'STATUS', 'PRIORITY', 'FROM', 'TO', 'AGE', 'CONTENT'];

function row({ task_id, status, priority, from_name, to_name, created_at, content }: TaskRecord) {
  return [task_id, status, priority, from_name, to_name, age(created_at), content];
}
