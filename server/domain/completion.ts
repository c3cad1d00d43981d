// A completion: an agent's own word that something is done.
import type { Millis } from './clock.ts';
import { timestamp } from './time.ts';

export type Completion = {
  id: string;
  network_id: string;
  alias: string;
  task: string;
  result: string;
  /** Paths or URLs, as a JSON array in the store. */
  artifacts: string | null;
  score: number | null;
  duration_minutes: number | null;
  task_id: string | null;
  completed_at: Millis;
};

export type CompletionRecord = { id: string; task: string; result: string; completed_at: string };

export function completionRecord(completion: Pick<Completion, 'id' | 'task' | 'result' | 'completed_at'>): CompletionRecord {
  return {
    id: completion.id,
    task: completion.task,
    result: completion.result,
    completed_at: timestamp(completion.completed_at),
  };
}
