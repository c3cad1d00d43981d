// The result of a task and its delivery to the sender of the task: exactly once, even if the hub restarts.
import { MAX_TEXT } from '../../domain/limits.ts';
import type { Outcome } from '../../domain/task-status.ts';
import { withRetry } from '../client/backoff.ts';
import { type HubClient, HubRefused } from '../client/hub-client.ts';
import { note } from '../output.ts';
import { lastCharacters, type TaskOutput } from './command-output.ts';
import type { Ending } from './command-run.ts';
import type { Assignment } from './mail.ts';
import type { Worker } from './worker.ts';

/** gone: the task was settled or withdrawn before there was a result. */
export type TaskEnd = 'replied' | 'failed' | 'gone' | 'given back';

type Result = { status: Extract<Outcome, 'replied' | 'failed'>; text: string };

/** A reply is never empty. If it is too long, its beginning is cut off. */
export function resultOf({ code, signal, error }: Ending, output: TaskOutput): Result {
  if (code === 0) return { status: 'replied', text: output.endOf('stdout').trimEnd() || '(no output)' };
  const how =
    error !== undefined
      ? `could not be started: ${error.message}`
      : signal === null
        ? `exited with code ${code}`
        : `was terminated by ${signal}`;
  const printed = (output.endOf('stderr').trim() || output.endOf('stdout')).trimEnd();
  const line = `the command ${how}`;
  return {
    status: 'failed',
    text: printed === '' ? line : `${line}\n${lastCharacters(printed, MAX_TEXT - line.length - 1)}`,
  };
}

/**
 * Checks the inbox first: the id of the first attempt is the task id, so that a late result would settle a later
 * attempt.
 */
export async function deliver(worker: Worker, assignment: Assignment, { status, text }: Result): Promise<TaskEnd> {
  const { mail, settings } = worker;
  try {
    if (!(await mail.stillHolds(assignment, settings.givingUp))) return report('gone', assignment, 'was withdrawn');
    await reply(worker, assignment, { status, text });
    return report(status, assignment, status);
  } catch (error) {
    if (isSettled(error)) return report('gone', assignment, 'was settled elsewhere');
    throw error;
  }
}

/** The key prevents a duplicate reply if the response to the first one was lost. */
async function reply({ hub, settings }: Worker, { id, task_id }: Assignment, { status, text }: Result): Promise<void> {
  const send = (sent: string, key: string) => () =>
    hub.post(`/api/tasks/${id}/reply`, { text: sent, status, from_session: settings.alias, idempotency_key: key });
  try {
    await withRetry(send(text, `work ${id}`), settings.givingUp);
  } catch (error) {
    if (!(error instanceof HubRefused && error.code === 'duplicate_send')) throw error;
    // The loop guard rejects identical replies, but twenty tasks may legitimately have the same result.
    const line = `(${task_id})`;
    await withRetry(
      send(`${lastCharacters(text, MAX_TEXT - line.length - 1)}\n${line}`, `work ${id} again`),
      settings.givingUp,
    );
  }
}

/** Whether the task no longer accepts a result. */
export function isSettled(error: unknown): boolean {
  return error instanceof HubRefused && (error.code === 'task is terminal' || error.code === 'task not found');
}

/**
 * Reassigns the task to the same alias as the next attempt. If the hub is unreachable, the task stays running for the
 * next worker.
 */
export async function giveBack(hub: HubClient, alias: string, assignment: Assignment): Promise<TaskEnd> {
  await hub.post(`/api/tasks/${assignment.id}/reassign`, { new_alias: alias, from_session: alias }).catch(() => {});
  return report('given back', assignment, 'was returned');
}

export function report(end: TaskEnd, { task_id }: Assignment, what: string): TaskEnd {
  note(`${task_id}: ${what}`);
  return end;
}
