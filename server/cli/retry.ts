// retry: delivers a failed, cancelled or expired task to its agent again.
import { networkHub } from './credentials.ts';
import { sayLine, type OutputOptions } from './output.ts';

export type RetryOptions = OutputOptions & { from?: string };

export async function retry(taskId: string, { from, ...options }: RetryOptions): Promise<void> {
  const answer = await networkHub().post<{ task_id: string; retried_to: string }>(`/api/tasks/${encodeURIComponent(taskId)}/retry`, { from_session: from });
  sayLine(options, answer, ({ task_id, retried_to }) => `${task_id} is delivered to ${retried_to} again`);
}
