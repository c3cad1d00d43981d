// One task, from its start to its end: the command runs, what it prints is shown, and it ends early when its task is
// taken back.
import { setTimeout as sleep } from 'node:timers/promises';
import { oneLine } from '../../domain/text/terminal-text.ts';
import { MINUTE_MS } from '../../domain/time/time.ts';
import { withRetry } from '../client/backoff.ts';
import { isPassing } from '../client/hub-client.ts';
import { note } from '../output.ts';
import { clip } from '../text-width.ts';
import type { TaskOutput } from './command-output.ts';
import { startCommand, type TaskRun } from './command-run.ts';
import type { Assignment, Mail } from './mail.ts';
import { deliver, giveBack, isSettled, resultOf, type TaskEnd, told } from './result.ts';
import type { WorkerSession } from './session.ts';
import type { Worker } from './worker.ts';

export async function carryOut(worker: Worker, assignment: Assignment): Promise<TaskEnd> {
  const { settings, session } = worker;
  if (!(await start(worker, assignment))) return 'gone';
  const task = `${clip(oneLine(assignment.content), 200)} (${assignment.task_id})`;
  await session.report('working', { task, output: '' });
  const run = startCommand(settings, assignment);
  const end = await seeThrough(worker, assignment, run, task);
  // What a report leaves out stays: the next task would begin where this one ended.
  const progress = run.output.progress() === undefined ? undefined : 0;
  await session.report('idle', { task: '', output: run.output.recent(), progress });
  return end;
}

/**
 * False when there is nothing to start: the task is settled, or the worker is asked to finish while the hub is away.
 */
async function start({ hub, settings }: Worker, { id, task_id, from_session }: Assignment): Promise<boolean> {
  try {
    const ack = () => hub.post<{ updated: number }>(`/api/tasks/${id}/ack`, { from_session: settings.alias });
    const { updated } = await withRetry(ack, settings.finishing);
    // One that runs already was started by a worker that was killed.
    note(`${task_id} from ${from_session}: ${updated === 1 ? 'started' : 'started again'}`);
    return true;
  } catch (error) {
    if (isSettled(error) || (settings.finishing.aborted && isPassing(error))) return false;
    throw error;
  }
}

async function seeThrough(worker: Worker, assignment: Assignment, run: TaskRun, task: string): Promise<TaskEnd> {
  const isOurs = await attend(worker, assignment, run, task);
  if (!isOurs) return told('gone', assignment, 'was taken back');
  if (worker.settings.givingUp.aborted) return giveBack(worker.hub, worker.settings.alias, assignment);
  return deliver(worker, assignment, resultOf(await run.ended, run.output));
}

/**
 * Until the command ends, shows what it prints and heeds a task that is taken back; answers whether it is still ours.
 */
async function attend(
  { settings, session, mail }: Worker,
  assignment: Assignment,
  run: TaskRun,
  task: string,
): Promise<boolean> {
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

async function showOutput(
  session: WorkerSession,
  reportMs: number,
  output: TaskOutput,
  task: string,
  signal: AbortSignal,
): Promise<void> {
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
