// The one rule that decides whether an agent is stuck: it is working, and made no progress for long. Starting or
// settling one of its tasks is progress too. The console and the notifiers share it.
import { STUCK_AFTER_MS } from './limits.ts';
import type { SessionStatus } from './session.ts';
import type { TaskStatus } from './task-status.ts';
import type { Millis } from './time/clock.ts';

/**
 * When a stuck agent last made progress; undefined if it is not stuck. `taskProgress` is the latest `taskProgressAt` of
 * its tasks, if there is any.
 */
export function stuckSince(
  { status, last_progress_at }: { status: SessionStatus; last_progress_at: Millis },
  taskProgress: Millis | undefined,
  now: Millis,
): Millis | undefined {
  if (status !== 'working') return undefined;
  const last = Math.max(last_progress_at, taskProgress ?? last_progress_at);
  return now - last >= STUCK_AFTER_MS ? last : undefined;
}

/** When the agent started or settled this task; null if it did neither. */
export function taskProgressAt<Moment>({
  status,
  started_at,
  completed_at,
}: {
  status: TaskStatus;
  started_at: Moment | null;
  completed_at: Moment | null;
}): Moment | null {
  return status === 'replied' || status === 'failed' ? completed_at : started_at;
}
