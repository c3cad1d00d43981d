// A completion: an agent's report that something is done.
import type { Millis } from './time/clock.ts';
import { timestamp } from './time/time.ts';

export type Completion = {
  id: string;
  network_id: string;
  alias: string;
  task: string;
  result: string;
  /** Paths or URLs, stored as a JSON array. */
  artifacts: string | null;
  score: number | null;
  duration_minutes: number | null;
  /** The task it named, if it named one. */
  task_id: string | null;
  completed_at: Millis;
};

/** The form in recent_completions. */
export function completionSummary(completion: Completion) {
  return {
    id: completion.id,
    task: completion.task,
    result: completion.result,
    completed_at: timestamp(completion.completed_at),
  };
}

/** The form in a list of completions: everything that was reported. */
export function completionRecord(completion: Completion) {
  const artifacts: unknown = completion.artifacts === null ? undefined : JSON.parse(completion.artifacts);
  return {
    ...completionSummary(completion),
    alias: completion.alias,
    network_id: completion.network_id,
    ...(artifacts !== undefined && { artifacts }),
    ...(completion.score !== null && { score: completion.score }),
    ...(completion.duration_minutes !== null && { duration_minutes: completion.duration_minutes }),
    ...(completion.task_id !== null && { task_id: completion.task_id }),
  };
}
