// What a person can do about a task, as advice and the act that it leads to. A pure function of what the console knows.
import type { TaskRecord } from '../../server/domain/task.ts';
import { isLive } from '../../server/domain/task-status.ts';
import { shellWord } from '../../server/domain/text/shell-word.ts';
import type { Words } from '../i18n/en.ts';
import type { WhyFacts } from '../live/api.ts';

export type TaskAct = 'answer' | 'settle' | 'reassign' | 'retry';
export type AdviceName = keyof Words['task']['advice'];
export type Advice = { name: AdviceName; act: TaskAct };

type Status = WhyFacts['assignee_status'];

type Known = {
  /** No agent will work on it. */
  isForPeople: boolean;
  isStuck: boolean;
  /** Its agent has asked a question that nobody has answered. */
  hasAsked: boolean;
};

/** Undefined if there is nothing to do. */
export function adviceFor(
  task: TaskRecord,
  status: Status,
  { isForPeople, isStuck, hasAsked }: Known,
): Advice | undefined {
  if (!isLive(task)) return AFTER[task.status];
  if (isForPeople) return { name: 'person', act: 'settle' };
  if (hasAsked && status !== 'offline' && status !== 'unknown') return { name: 'asked', act: 'answer' };
  return task.status === 'running' ? runningAdvice(status, isStuck) : waitingAdvice(task, status);
}

const AFTER: Partial<Record<TaskRecord['status'], Advice>> = {
  failed: { name: 'failed', act: 'retry' },
  cancelled: { name: 'cancelled', act: 'retry' },
  expired: { name: 'expired', act: 'retry' },
};

const RUNNING: Partial<Record<Status, Advice>> = {
  unknown: { name: 'lost', act: 'reassign' },
  offline: { name: 'lost', act: 'reassign' },
  waiting_input: { name: 'waits', act: 'answer' },
  blocked: { name: 'waits', act: 'answer' },
  error: { name: 'waits', act: 'answer' },
  idle: { name: 'rests', act: 'answer' },
};

function runningAdvice(status: Status, isStuck: boolean): Advice | undefined {
  return isStuck ? { name: 'stuck', act: 'answer' } : RUNNING[status];
}

const WAITING: Partial<Record<Status, Advice>> = {
  unknown: { name: 'unknown', act: 'reassign' },
  offline: { name: 'offline', act: 'reassign' },
  waiting_input: { name: 'busy', act: 'reassign' },
  blocked: { name: 'busy', act: 'reassign' },
  error: { name: 'busy', act: 'reassign' },
};

/** A working agent fetches the task when it is done. */
function waitingAdvice({ fetched_at, notified_at }: TaskRecord, status: Status): Advice | undefined {
  if (status !== 'idle') return WAITING[status];
  if (fetched_at !== undefined) return { name: 'unstarted', act: 'answer' };
  return { name: notified_at === undefined ? 'unheard' : 'unfetched', act: 'reassign' };
}

/** Starts a worker for the tasks of this agent. */
export function workerCommand(alias: string): string {
  return `agenthub work --alias ${shellWord(alias)} -- claude -p`;
}
