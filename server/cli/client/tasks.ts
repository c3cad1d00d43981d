// tasks: lists the tasks of the network, newest first, one page at a time.
import type { TaskRecord } from '../../domain/task.ts';
import type { Priority, TaskStatus } from '../../domain/task-status.ts';
import { age, note, type OutputOptions, sayAnswer, table } from '../output.ts';
import { networkHub } from './credentials.ts';

export type TasksOptions = OutputOptions & {
  status?: TaskStatus;
  priority?: Priority;
  to?: string;
  from?: string;
  text?: string;
  limit?: number;
  cursor?: string;
};

type TaskList = {
  tasks: TaskRecord[];
  count: number;
  next_cursor?: string;
  stats: { status: TaskStatus; count: number }[];
};

export async function tasks({ to, from, output, ...filters }: TasksOptions): Promise<void> {
  const list = await networkHub().get<TaskList>('/api/tasks', { to_name: to, from_name: from, ...filters });
  sayAnswer({ output }, list, describe);
  if (list.next_cursor !== undefined && output !== 'json')
    note(`more tasks exist; repeat with --cursor ${list.next_cursor}`);
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
