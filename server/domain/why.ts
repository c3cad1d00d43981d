// Explains the current state of a task, in one sentence and as data.
import { presentStatus, type Session } from './session.ts';
import type { Task } from './task.ts';
import { isLive } from './task-status.ts';
import type { Millis } from './time/clock.ts';
import { roughDuration, timestamp } from './time/time.ts';

export type Situation = {
  task: Task;
  /** The assignee's session; undefined if no agent ever reported under that alias. */
  assignee: Pick<Session, 'status' | 'marked_offline' | 'last_seen_at'> | undefined;
  /** Messages that get_inbox returns before this one. */
  ahead: number;
  now: Millis;
};

/** "waiting: builder has been offline for 14 min, 3 messages ahead, expires in 46 min, last pushed …, never fetched" */
export function explainTask(situation: Situation): string {
  const { task } = situation;
  const facts = isLive(task) ? waitingFacts(situation) : settledFacts(situation);
  return `${headline(task)}: ${facts.filter((fact) => fact !== undefined).join(', ')}`;
}

function headline({ status }: Task): string {
  return status === 'delivered' ? 'waiting' : status;
}

function waitingFacts({ task, assignee, ahead, now }: Situation): (string | undefined)[] {
  const isRunning = task.status === 'running';
  return [
    presenceFact(task.to_name, assignee, now),
    isRunning ? `started ${ago(task.started_at, now)}` : aheadFact(ahead),
    isRunning && assignee !== undefined && presentStatus(assignee) !== 'offline' ? undefined : expiryFact(task, now),
    ...(isRunning ? [] : [pushFact(task), fetchFact(task, now)]),
  ];
}

function settledFacts({ task, now }: Situation): (string | undefined)[] {
  const never =
    task.status === 'expired' && task.started_at === null
      ? `${task.to_name} did not start it within ${roughDuration(task.ttl_seconds * 1_000)}`
      : undefined;
  return [`settled ${ago(task.completed_at, now)}`, never, task.attempt > 1 ? `attempt ${task.attempt}` : undefined];
}

function presenceFact(alias: string, assignee: Situation['assignee'], now: Millis): string {
  if (assignee === undefined) return `no agent has ever reported as ${alias}`;
  const status = presentStatus(assignee);
  return status === 'offline'
    ? `${alias} has been offline for ${roughDuration(now - assignee.last_seen_at)}`
    : `${alias} is ${status}`;
}

function aheadFact(ahead: number): string {
  if (ahead === 0) return 'next in its inbox';
  return `${ahead} ${ahead === 1 ? 'message' : 'messages'} ahead`;
}

function expiryFact({ expires_at }: Task, now: Millis): string {
  return `expires in ${roughDuration(expires_at - now)}`;
}

function pushFact({ notified_at }: Task): string {
  return notified_at === null ? 'never pushed on a stream' : `last pushed ${timestamp(notified_at)}`;
}

function fetchFact({ fetched_at }: Task, now: Millis): string {
  return fetched_at === null ? 'never fetched' : `fetched ${ago(fetched_at, now)} and not acknowledged`;
}

function ago(moment: Millis | null, now: Millis): string {
  return moment === null ? 'at an unknown time' : `${roughDuration(now - moment)} ago`;
}
