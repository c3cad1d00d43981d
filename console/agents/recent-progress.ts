// The progress that agents recently made with their tasks, as far as this page has seen it.
import { knownTasks } from '../live/task-pool.ts';
import { stampOf } from '../parts/format.ts';
import { progressOf, STUCK_AFTER_MS } from './roster.ts';

/** The last progress of each alias with its tasks, if it is recent enough to matter. */
export function recentProgress(now: number): ReadonlyMap<string, string> {
  const longAgo = stampOf(now - STUCK_AFTER_MS);
  const latest = new Map<string, string>();
  for (const task of knownTasks((each) => progressOf(each) > longAgo, Infinity)) {
    const at = progressOf(task);
    if (at > (latest.get(task.to_name) ?? '')) latest.set(task.to_name, at);
  }
  return latest;
}
