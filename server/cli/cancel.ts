// cancel: ends a task that is not settled; its agent is told to stop.
import { networkHub } from './credentials.ts';
import { sayLine, type OutputOptions } from './output.ts';

export type CancelOptions = OutputOptions & { reason?: string; from?: string };

export async function cancel(taskId: string, { reason, from, ...options }: CancelOptions): Promise<void> {
  const answer = await networkHub().post<{ task_id: string }>(`/api/tasks/${encodeURIComponent(taskId)}/cancel`, { reason, from_session: from });
  sayLine(options, answer, ({ task_id }) => `${task_id} is cancelled`);
}
