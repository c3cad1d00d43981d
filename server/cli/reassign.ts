// reassign: moves a task that is not settled to another agent; the old one is told to stop.
import { networkHub } from './credentials.ts';
import { sayLine, type OutputOptions } from './output.ts';
import type { RetryOptions } from './retry.ts';
import { noteWarning } from './send.ts';

export async function reassign(taskId: string, newAlias: string, { from, ...options }: RetryOptions & OutputOptions): Promise<void> {
  const body = { new_alias: newAlias, from_session: from };
  const answer = await networkHub().post<Moved>(`/api/tasks/${encodeURIComponent(taskId)}/reassign`, body);
  noteWarning(answer);
  sayLine(options, answer, ({ task_id, reassigned_from, reassigned_to }) => `${task_id} moved from ${reassigned_from} to ${reassigned_to}`);
}

type Moved = { task_id: string; reassigned_from: string; reassigned_to: string; warning?: string };
