// Runs one task from start to end: runs the command, reports its output, and stops it if the task is withdrawn.
import { setTimeout as sleep } from 'node:timers/promises';
import { oneLine } from '../../domain/text/terminal-text.ts';
import { MINUTE_MS } from '../../domain/time/time.ts';
import { withRetry } from '../client/backoff.ts';
import { isTransient } from '../client/hub-client.ts';
import { note } from '../output.ts';
import { clip } from '../text-width.ts';
import type { TaskOutput } from './command-output.ts';
import { startCommand, type TaskRun } from './command-run.ts';
import type { Assignment, Mail } from './mail.ts';
import { deliver, giveBack, isSettled, report, resultOf, type TaskEnd } from './result.ts';
import type { WorkerSession } from './session.ts';
import type { Worker } from './worker.ts';

export async function runTask(worker: Worker, assignment: Assignment): Promise<TaskEnd> {
  const { settings, session } = worker;
  if (!(await start(worker, assignment))) return 'gone';
  const task = `${clip(oneLine(assignment.content), 200)} (${assignment.task_id})`;
  await session.report('working', { task, output: '' });
  const run = startCommand(settings, assignment);
  const end = await finish(worker, assignment, run, task);
  // A report keeps omitted fields, so without a reset the next task would start with this progress.
  const progress = run.output.progress() === undefined ? undefined : 0;
  await session.report('idle', { task: '', output: run.output.recent(), progress });
  return end;
}

/** Returns false if the task is settled, or if the worker is stopping while the hub is unreachable. */
async function start({ hub, settings }: Worker, { id, task_id, from_session }: Assignment): Promise<boolean> {
  try {
    const ack = () => hub.post<{ updated: number }>(`/api/tasks/${id}/ack`, { from_session: settings.alias });
    const { updated } = await withRetry(ack, settings.finishing);
    // A worker that was killed started the task before.
    note(`${task_id} from ${from_session}: ${updated === 1 ? 'started' : 'started again'}`);
    return true;
  } catch (error) {
    if (isSettled(error) || (settings.finishing.aborted && isTransient(error))) return false;
    throw error;
  }
}

async function finish(worker: Worker, assignment: Assignment, run: TaskRun, task: string): Promise<TaskEnd> {
  const isOurs = await supervise(worker, assignment, run, task);
  if (!isOurs) return report('gone', assignment, 'was withdrawn');
  if (worker.settings.givingUp.aborted) return giveBack(worker.hub, worker.settings.alias, assignment);
  return deliver(worker, assignment, resultOf(await run.ended, run.output));
}

/** Reports output and watches for withdrawal until the command ends. Returns whether the task is still ours. */
async function supervise(
  { settings, session, mail }: Worker,
  assignment: Assignment,
  run: TaskRun,
  task: string,
): Promise<boolean> {
  const ended = new AbortController();
  const { signal } = ended;
  settings.givingUp.addEventListener('abort', run.stop, { signal });
  if (settings.givingUp.aborted) run.stop();
  const stopAndThrow = (error: unknown): never => {
    run.stop();
    throw error;
  };
  const supervising = Promise.all([
    watchInbox(mail, assignment, run, signal).catch(stopAndThrow),
    reportOutput(session, settings.reportMs, run.output, task, signal).catch(stopAndThrow),
  ]);
  supervising.catch(() => {}); // thrown below, once the command has ended
  await run.ended;
  ended.abort();
  const [isOurs] = await supervising;
  return isOurs;
}

async function watchInbox(mail: Mail, assignment: Assignment, run: TaskRun, signal: AbortSignal): Promise<boolean> {
  for (;;) {
    await mail.change(signal);
    if (signal.aborted) return true;
    if (await mail.stillHolds(assignment, signal).catch(ifTransient(true))) continue;
    run.stop();
    return false;
  }
}

function ifTransient<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (isTransient(error)) return instead;
    throw error;
  };
}

async function reportOutput(
  session: WorkerSession,
  reportMs: number,
  output: TaskOutput,
  task: string,
  signal: AbortSignal,
): Promise<void> {
  let reported = '';
  for (let silentMs = 0; await passed(reportMs, signal); silentMs += reportMs) {
    const state = { output: output.recent(), progress: output.progress() };
    if (JSON.stringify(state) === reported && silentMs < MINUTE_MS) continue;
    await session.report('working', { task, ...state });
    reported = JSON.stringify(state);
    silentMs = 0;
  }
}

async function passed(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  await sleep(milliseconds, undefined, { signal }).catch(() => {});
  return !signal.aborted;
}
