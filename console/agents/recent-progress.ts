// The progress that agents recently made with their tasks, as far as this page has seen it.
import { STUCK_AFTER_MS } from '../../server/domain/limits.ts';
import { taskProgressAt } from '../../server/domain/stuck.ts';
import { knownTasks } from '../live/task-pool.ts';
import { stampOf } from '../parts/format.ts';

/** The last progress of each alias with its tasks, if it is recent enough to matter. */
export function recentProgress(now: number): ReadonlyMap<string, string> {
  const longAgo = stampOf(now - STUCK_AFTER_MS);
  const latest = new Map<string, string>();
  for (const task of knownTasks((each) => (taskProgressAt(each) ?? '') > longAgo, Infinity)) {
    const at = taskProgressAt(task) ?? '';
    if (at > (latest.get(task.to_name) ?? '')) latest.set(task.to_name, at);
  }
  return latest;
}
