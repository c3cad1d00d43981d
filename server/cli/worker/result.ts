// What a command made of its task, and its way to whoever sent the task: delivered once, whatever happens to the hub.
import { MAX_TEXT } from '../../domain/limits.ts';
import type { Outcome } from '../../domain/task.ts';
import { withRetry } from '../client/backoff.ts';
import { type HubClient, HubRefused } from '../client/hub-client.ts';
import { note } from '../output.ts';
import { lastCharacters, type TaskOutput } from './command-output.ts';
import type { Ending } from './command-run.ts';
import type { Assignment } from './mail.ts';
import type { Worker } from './worker.ts';

/** gone: it was settled or taken back before there was a result. */
export type TaskEnd = 'replied' | 'failed' | 'gone' | 'given back';

type Result = { status: Extract<Outcome, 'replied' | 'failed'>; text: string };

/** A reply is never empty; what exceeds its length is cut off in front. */
export function resultOf({ code, signal, error }: Ending, output: TaskOutput): Result {
  if (code === 0) return { status: 'replied', text: output.endOf('stdout').trimEnd() || '(no output)' };
  const how =
    error !== undefined
      ? `could not be started: ${error.message}`
      : signal === null
        ? `ended with exit code ${code}`
        : `was ended by ${signal}`;
  const said = (output.endOf('stderr').trim() || output.endOf('stdout')).trimEnd();
  const line = `the command ${how}`;
  return {
    status: 'failed',
    text: said === '' ? line : `${line}\n${lastCharacters(said, MAX_TEXT - line.length - 1)}`,
  };
}

/** The first attempt has no id but the task's, by which a late result would settle a later attempt: so a look first. */
export async function deliver(worker: Worker, assignment: Assignment, { status, text }: Result): Promise<TaskEnd> {
  const { mail, settings } = worker;
  try {
    if (!(await mail.stillHolds(assignment, settings.givingUp))) return told('gone', assignment, 'was taken back');
    await reply(worker, assignment, { status, text });
    return told(status, assignment, status);
  } catch (error) {
    if (isSettled(error)) return told('gone', assignment, 'was settled by another');
    throw error;
  }
}

/** The key makes a reply whose answer was lost count once. */
async function reply({ hub, settings }: Worker, { id, task_id }: Assignment, { status, text }: Result): Promise<void> {
  const send = (said: string, key: string) => () =>
    hub.post(`/api/tasks/${id}/reply`, { text: said, status, from_session: settings.alias, idempotency_key: key });
  try {
    await withRetry(send(text, `work ${id}`), settings.givingUp);
  } catch (error) {
    if (!(error instanceof HubRefused && error.code === 'duplicate_send')) throw error;
    // The guard against loops cannot know that twenty tasks may well have the same result.
    const line = `(${task_id})`;
    await withRetry(
      send(`${lastCharacters(text, MAX_TEXT - line.length - 1)}\n${line}`, `work ${id} again`),
      settings.givingUp,
    );
  }
}

/** Nobody waits for a result of it any more. */
export function isSettled(error: unknown): boolean {
  return error instanceof HubRefused && (error.code === 'task is terminal' || error.code === 'task not found');
}

/**
 * Back into the inbox of the same alias, as the next attempt. A hub that is away keeps it as running, for the next
 * worker.
 */
export async function giveBack(hub: HubClient, alias: string, assignment: Assignment): Promise<TaskEnd> {
  await hub.post(`/api/tasks/${assignment.id}/reassign`, { new_alias: alias, from_session: alias }).catch(() => {});
  return told('given back', assignment, 'was given back');
}

export function told(end: TaskEnd, { task_id }: Assignment, what: string): TaskEnd {
  note(`${task_id}: ${what}`);
  return end;
}
