// cancel, retry, reassign and reply: the actions on an existing task.
import type { Outcome } from '../../domain/task-status.ts';
import { type OutputOptions, sayLine } from '../output.ts';
import { readText } from '../text-argument.ts';
import { networkHub } from './access/access.ts';
import type { HubOptions } from './access/hub-options.ts';
import { type Keyed, noteWarning, postOnce, type Receipt } from './send.ts';

type FromOption = HubOptions & OutputOptions & { from?: string };

export type CancelOptions = FromOption & { reason?: string };

export async function cancel(taskId: string, { reason, from, ...options }: CancelOptions): Promise<void> {
  const answer = await act<{ task_id: string }>(options, taskId, 'cancel', { reason, from_session: from });
  sayLine(options, answer, ({ task_id }) => `${task_id} is cancelled`);
}

export type RetryOptions = FromOption & { to?: string };

export async function retry(taskId: string, { from, to, ...options }: RetryOptions): Promise<void> {
  const body = { new_alias: to, from_session: from };
  const answer = await act<{ task_id: string; retried_to: string }>(options, taskId, 'retry', body);
  sayLine(options, answer, ({ task_id, retried_to }) => `${task_id} is delivered to ${retried_to} again`);
}

type Moved = { task_id: string; reassigned_from: string; reassigned_to: string; warning?: string };

export async function reassign(taskId: string, newAlias: string, { from, ...options }: FromOption): Promise<void> {
  const answer = await act<Moved>(options, taskId, 'reassign', { new_alias: newAlias, from_session: from });
  noteWarning(answer);
  sayLine(
    options,
    answer,
    ({ task_id, reassigned_from, reassigned_to }) => `${task_id} moved from ${reassigned_from} to ${reassigned_to}`,
  );
}

export type ReplyOptions = FromOption & { status?: Outcome; to?: string; idempotencyKey?: string };

export async function reply(taskId: string, text: string, options: ReplyOptions): Promise<void> {
  const { status, from, to, idempotencyKey } = options;
  const body = { text: await readText(text), status, from_session: from, alias: to, idempotency_key: idempotencyKey };
  const receipt = await act<Receipt>(options, taskId, 'reply', body);
  noteWarning(receipt);
  sayLine(options, receipt, () => `${taskId} is settled: ${status ?? 'replied'}`);
}

async function act<Answer extends object>(
  options: HubOptions,
  taskId: string,
  action: string,
  body: Keyed,
): Promise<Answer> {
  const hub = await networkHub(options);
  return postOnce<Answer>(hub, `/api/tasks/${encodeURIComponent(taskId)}/${action}`, body);
}
