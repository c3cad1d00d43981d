// Waits until a task is settled. The network's event stream says when to check. A check on every heartbeat, including
// the one that opens each connection, covers missed events.
import type { TaskRecord } from '../../domain/task.ts';
import { isLive } from '../../domain/task-status.ts';
import { SECOND_MS } from '../../domain/time/time.ts';
import { withRetry } from './backoff.ts';
import type { HubClient } from './hub-client.ts';
import { followEvents, type HubEvent } from './hub-events.ts';

/** Returns the settled task, or undefined on timeout. */
export async function waitUntilSettled(
  hub: HubClient,
  taskId: string,
  seconds: number | undefined,
): Promise<TaskRecord | undefined> {
  const leaving = new AbortController();
  const timer = seconds === undefined ? undefined : setTimeout(() => leaving.abort(), seconds * SECOND_MS);
  try {
    for await (const event of followEvents(hub, '/events', leaving.signal)) {
      if (!mayConcern(event, taskId)) continue;
      const task = await look(hub, taskId, leaving.signal);
      if (!isLive(task)) return task;
    }
    const task = await look(hub, taskId, leaving.signal);
    return isLive(task) ? undefined : task;
  } finally {
    clearTimeout(timer);
    leaving.abort();
  }
}

function mayConcern(event: HubEvent, taskId: string): boolean {
  return event.type === 'heartbeat' || event.type === 'resync' || (event.type === 'task' && event.task_id === taskId);
}

async function look(hub: HubClient, taskId: string, signal: AbortSignal): Promise<TaskRecord> {
  const { task } = await withRetry(
    () => hub.get<{ task: TaskRecord }>(`/api/tasks/${encodeURIComponent(taskId)}`),
    signal,
  );
  return task;
}
