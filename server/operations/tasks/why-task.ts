// Explains the current state of a task: one sentence for people, and the same facts as fields for programs.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { presentStatus } from '../../domain/session.ts';
import { taskRecord } from '../../domain/task.ts';
import { isLive } from '../../domain/task-status.ts';
import { SECOND_MS, timestamp } from '../../domain/time/time.ts';
import { explainTask, type Situation } from '../../domain/why.ts';
import * as sessions from '../../store/sessions.ts';
import * as tasks from '../../store/tasks.ts';
import { operation } from '../operation.ts';
import { readTasks } from '../write-behind.ts';
import { getInAny } from './get-task.ts';

export const whyTask = operation({
  name: 'why_task',
  summary: 'Explain the current state of a task.',
  access: 'read',
  input: v.object({ task_id: fields.taskId, network_id: fields.networkId }),
  run: (hub, caller, request, { store }) =>
    readTasks(hub, store, async (reader) => {
      const task = await getInAny(reader, caller.networks, request.task_id);
      const assignee = await sessions.findByAlias(reader, task.network_id, task.to_name);
      const ahead = task.status === 'delivered' ? await tasks.countAhead(reader, task) : 0;
      const situation = { task, assignee, ahead, now: reader.now };
      return { ok: true, why: explainTask(situation), facts: factsOf(situation) };
    }),
});

function factsOf({ task, assignee, ahead, now }: Situation) {
  const { status, attempt, notified_at, fetched_at, acked_at } = taskRecord(task);
  return {
    status,
    attempt,
    assignee: task.to_name,
    assignee_status: assignee === undefined ? 'unknown' : presentStatus(assignee),
    assignee_last_seen_at: assignee === undefined ? null : timestamp(assignee.last_seen_at),
    messages_ahead: ahead,
    expires_in_seconds: isLive(task) ? Math.max(0, Math.ceil((task.expires_at - now) / SECOND_MS)) : null,
    notified_at: notified_at ?? null,
    fetched_at: fetched_at ?? null,
    acked_at: acked_at ?? null,
  };
}
