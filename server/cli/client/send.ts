// send: sends a task to an agent. With --wait, waits until it is settled and exits with its outcome.
import type { TaskRecord } from '../../domain/task.ts';
import type { Priority } from '../../domain/task-status.ts';
import { SECOND_MS } from '../../domain/time/time.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { note, type OutputOptions, sayExact, sayJson, sayLine } from '../output.ts';
import { readText } from '../text-argument.ts';
import { networkHub } from './access/access.ts';
import type { HubOptions } from './access/hub-options.ts';
import { withRetry } from './backoff.ts';
import type { HubClient } from './hub-client.ts';
import { inCommands } from './remedies.ts';
import { waitUntilSettled } from './settled.ts';

export type SendOptions = HubOptions &
  OutputOptions & {
    priority?: Priority;
    context?: string;
    ttl?: number;
    from?: string;
    idempotencyKey?: string;
    /** Seconds, or true for no timeout. */
    wait?: number | true;
  };

/** The response to every send operation. */
export type Receipt = { message_id: string; session_status: string; warning?: string };

export async function send(alias: string, text: string, options: SendOptions): Promise<void> {
  const hub = await networkHub(options);
  const receipt = await postOnce<Receipt & { task_id: string }>(hub, '/api/tasks', {
    alias,
    task: await readText(text),
    priority: options.priority,
    context: options.context,
    ttl_seconds: options.ttl,
    from_session: options.from,
    idempotency_key: options.idempotencyKey,
  });
  noteWarning(receipt);
  if (options.wait === undefined)
    return sayLine(
      options,
      receipt,
      ({ task_id, session_status }) => `${task_id} sent to ${alias} (${session_status})`,
    );
  note(`${receipt.task_id} sent to ${alias} (${receipt.session_status}); waiting`);
  await sayOutcome(hub, receipt.task_id, options);
}

export type Keyed = Readonly<Record<string, unknown>> & { idempotency_key?: string | undefined };

const RETRIED_MS = 10 * SECOND_MS;

/** With an idempotency key, a hub that cannot be reached is tried for 10 seconds: what it has stored is not doubled. */
export function postOnce<Answer extends object>(hub: HubClient, path: string, body: Keyed): Promise<Answer> {
  const post = () => hub.post<Answer>(path, body);
  return body.idempotency_key === undefined ? post() : withRetry(post, AbortSignal.timeout(RETRIED_MS));
}

/** Prints the warning that the hub may add to an accepted request. */
export function noteWarning({ warning }: { warning?: string }): void {
  if (warning !== undefined) note(inCommands(warning));
}

async function sayOutcome(hub: HubClient, taskId: string, { wait, output }: SendOptions): Promise<void> {
  const task = await waitUntilSettled(hub, taskId, wait === true ? undefined : wait);
  if (task === undefined)
    throw new CommandError(
      `${taskId} is not settled after ${wait} s; run agenthub task ${taskId} to see its progress`,
      EXIT.timedOut,
    );
  if (output === 'json') sayJson({ ok: task.status === 'replied', ...task });
  else if (task.result !== null) sayExact(task.result);
  if (task.status !== 'replied') throw new CommandError(outcomeLine(task), EXIT.unsuccessful);
}

function outcomeLine({ task_id, status, result, to_name }: TaskRecord): string {
  if (status === 'expired')
    return `${task_id} expired: ${to_name} did not start it in time; run agenthub retry ${task_id} to send it again`;
  return `${task_id} ${status === 'failed' ? 'failed' : 'was cancelled'}${result ? '; see standard output for the reason' : ''}`;
}
