// One task, from its start to its reply: the command runs, is watched and shown, and what it made of the task is
// delivered once, whatever happens to the hub meanwhile.
import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_TEXT } from '../domain/limits.ts';
import type { Outcome } from '../domain/task.ts';
import { MINUTE_MS } from '../domain/time.ts';
import { HubRefused, isPassing, type HubClient } from './hub-client.ts';
import { note, oneLine } from './output.ts';
import { insist } from './patience.ts';
import { lastCharacters, type TaskOutput } from './task-output.ts';
import { startCommand, type Ending, type TaskRun } from './task-run.ts';
import { clip } from './text-width.ts';
import type { Assignment, Mail } from './worker-mail.ts';
import type { WorkerSession } from './worker-session.ts';
import type { Worker } from './worker.ts';

/** gone: it was settled or taken back before there was a result. */
export type TaskEnd = 'replied' | 'failed' | 'gone' | 'given back';

export async function carryOut(worker: Worker, assignment: Assignment): Promise<TaskEnd> {
  const { settings, session } = worker;
  if (!(await start(worker, assignment))) return 'gone';
  const task = `${clip(oneLine(assignment.content), 200)} (${assignment.task_id})`;
  await session.report('working', { task, output: '' });
  const run = startCommand(settings.command, assignment, settings.graceMs);
  const end = await seeThrough(worker, assignment, run, task);
  await session.report('idle', { task: '', output: run.output.recent() });
  return end;
}

/** False when there is nothing to start: the task is settled, or the worker is asked to finish while the hub is away. */
async function start({ hub, settings }: Worker, { id, task_id, from_session }: Assignment): Promise<boolean> {
  try {
    const ack = () => hub.post<{ updated: number }>(`/api/tasks/${id}/ack`, { from_session: settings.alias });
    const { updated } = await insist(ack, settings.finishing);
    // One that runs already was started by a worker that was killed.
    note(`${task_id} from ${from_session}: ${updated === 1 ? 'started' : 'started again'}`);
    return true;
  } catch (error) {
    if (isSettled(error) || (settings.finishing.aborted && isPassing(error))) return false;
    throw error;
  }
}

function isSettled(error: unknown): boolean {
  return error instanceof HubRefused && (error.code === 'task is terminal' || error.code === 'task not found');
}

async function seeThrough(worker: Worker, assignment: Assignment, run: TaskRun, task: string): Promise<TaskEnd> {
  const isOurs = await attend(worker, assignment, run, task);
  if (!isOurs) return told('gone', assignment, 'was taken back');
  if (worker.settings.givingUp.aborted) return giveBack(worker.hub, worker.settings.alias, assignment);
  return deliver(worker, assignment, resultOf(await run.ended, run.output));
}

/** Until the command ends, shows what it prints and heeds a task that is taken back; answers whether it is still ours. */
async function attend({ settings, session, mail }: Worker, assignment: Assignment, run: TaskRun, task: string): Promise<boolean> {
  const over = new AbortController();
  const { signal } = over;
  settings.givingUp.addEventListener('abort', run.stop, { signal });
  if (settings.givingUp.aborted) run.stop();
  const stopAndThrow = (error: unknown): never => {
    run.stop();
    throw error;
  };
  const attending = Promise.all([
    heedInbox(mail, assignment, run, signal).catch(stopAndThrow),
    showOutput(session, settings.reportMs, run.output, task, signal).catch(stopAndThrow),
  ]);
  attending.catch(() => {}); // thrown below, once the command has ended
  await run.ended;
  over.abort();
  const [isOurs] = await attending;
  return isOurs;
}

async function heedInbox(mail: Mail, assignment: Assignment, run: TaskRun, signal: AbortSignal): Promise<boolean> {
  for (;;) {
    await mail.change(signal);
    if (signal.aborted) return true;
    if (await mail.stillHolds(assignment, signal).catch(ifPassing(true))) continue;
    run.stop();
    return false;
  }
}

function ifPassing<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (isPassing(error)) return instead;
    throw error;
  };
}

async function showOutput(session: WorkerSession, reportMs: number, output: TaskOutput, task: string, signal: AbortSignal): Promise<void> {
  let shown = '';
  for (let silentMs = 0; await passed(reportMs, signal); silentMs += reportMs) {
    const state = { output: output.recent(), progress: output.progress() };
    if (JSON.stringify(state) === shown && silentMs < MINUTE_MS) continue;
    await session.report('working', { task, ...state });
    shown = JSON.stringify(state);
    silentMs = 0;
  }
}

async function passed(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  await sleep(milliseconds, undefined, { signal }).catch(() => {});
  return !signal.aborted;
}

type Result = { status: Extract<Outcome, 'replied' | 'failed'>; text: string };

/** A reply is never empty; what exceeds its length is cut off in front. */
export function resultOf({ code, signal, error }: Ending, output: TaskOutput): Result {
  if (code === 0) return { status: 'replied', text: output.endOf('stdout').trimEnd() || '(no output)' };
  const how = error !== undefined ? `could not be started: ${error.message}` : signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
  const said = (output.endOf('stderr').trim() || output.endOf('stdout')).trimEnd();
  const line = `the command ${how}`;
  return { status: 'failed', text: said === '' ? line : `${line}\n${lastCharacters(said, MAX_TEXT - line.length - 1)}` };
}

/** The first attempt has no id but the task's, by which a late result would settle a later attempt: so a look first. */
async function deliver({ hub, settings, mail }: Worker, assignment: Assignment, { status, text }: Result): Promise<TaskEnd> {
  const reply = () =>
    hub.post(`/api/tasks/${assignment.id}/reply`, { text, status, from_session: settings.alias, idempotency_key: `work ${assignment.id}` });
  try {
    if (!(await mail.stillHolds(assignment, settings.givingUp))) return told('gone', assignment, 'was taken back');
    await insist(reply, settings.givingUp);
    return told(status, assignment, status);
  } catch (error) {
    if (isSettled(error)) return told('gone', assignment, 'was settled by another');
    throw error;
  }
}

/** Back into the inbox of the same alias, as the next attempt. A hub that is away keeps it as running, for the next worker. */
async function giveBack(hub: HubClient, alias: string, assignment: Assignment): Promise<TaskEnd> {
  await hub.post(`/api/tasks/${assignment.id}/reassign`, { new_alias: alias, from_session: alias }).catch(() => {});
  return told('given back', assignment, 'was given back');
}

function told(end: TaskEnd, { task_id }: Assignment, what: string): TaskEnd {
  note(`${task_id}: ${what}`);
  return end;
}
