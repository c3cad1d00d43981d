// wait_task: waits until a task settles or the timeout ends.
import * as v from 'valibot';
import type { NetworkReader } from '../../domain/accounts/caller.ts';
import * as fields from '../../domain/fields.ts';
import { DEFAULT_WAIT_SECONDS, MAX_WAIT_SECONDS } from '../../domain/limits.ts';
import { type Task, taskRecord } from '../../domain/task.ts';
import { isLive } from '../../domain/task-status.ts';
import { SECOND_MS } from '../../domain/time/time.ts';
import type { Hub } from '../../hub.ts';
import type { ScopedStore } from '../../store/engine/database.ts';
import { readCurrent } from '../expiry.ts';
import { operation } from '../operation.ts';
import { waitUntil } from '../waiting.ts';
import { getInAny } from './get-task.ts';

export const waitTask = operation({
  name: 'wait_task',
  summary: 'Wait until a task settles.',
  access: 'read',
  input: v.object({
    task_id: fields.taskId,
    timeout_seconds: v.optional(fields.wholeNumberFrom(0, MAX_WAIT_SECONDS), DEFAULT_WAIT_SECONDS),
    network_id: fields.networkId,
  }),
  run: async (hub, caller, request, context) => {
    const { store } = context;
    const { task_id } = await find(hub, store, caller, request.task_id);
    const task = await waitUntil(hub, caller, context, {
      topic: { networks: caller.networks, task_id },
      milliseconds: request.timeout_seconds * SECOND_MS,
      look: () => find(hub, store, caller, task_id),
      isDone: (seen) => !isLive(seen),
      // A running task outlives its expiry while its agent sends heartbeats; the sweep wakes this wait when they stop.
      lookAgainAt: (seen) =>
        seen.status === 'delivered' || seen.expires_at > hub.clock.now() ? seen.expires_at : undefined,
    });
    return { ok: true, task: taskRecord(task), settled: !isLive(task) };
  },
});

function find(hub: Hub, store: ScopedStore, caller: NetworkReader, id: string): Promise<Task> {
  return readCurrent(hub, store, (reader) => getInAny(reader, caller.networks, id));
}
