// Returns a task with its events and replies, for GET /api/tasks/:id.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { MAX_PAGE_BYTES, MAX_TASK_EVENTS, MAX_TASK_REPLIES } from '../../domain/limits.ts';
import { type Message, messageRecord } from '../../domain/message.ts';
import { type Task, taskMoments, taskRecord } from '../../domain/task.ts';
import { taskEventRecord } from '../../domain/task-event.ts';
import { firstWithin } from '../../domain/text/encoded-bytes.ts';
import type { Reader } from '../../store/engine/transaction.ts';
import * as messages from '../../store/messages.ts';
import * as taskEvents from '../../store/task-events.ts';
import { operation } from '../operation.ts';
import { readFirst } from '../page.ts';
import { readTasks } from '../write-behind.ts';
import { getInAny } from './get-task.ts';

export const showTask = operation({
  name: 'show_task',
  summary: 'Show a task with its events and replies.',
  access: 'read',
  input: v.object({ task_id: fields.taskId, network_id: fields.networkId }),
  run: (hub, caller, request, { store }) =>
    readTasks(hub, store, async (reader) => {
      const task = await getInAny(reader, caller.networks, request.task_id);
      const events = await taskEvents.listOfTask(reader, task.task_seq, MAX_TASK_EVENTS);
      // A retry clears the task's result; the replies to earlier attempts remain in its messages.
      const replies = task.attempt > 1 && { replies: (await repliesOf(reader, task)).map(messageRecord) };
      return {
        ok: true,
        task: taskRecord(task),
        moments_ms: taskMoments(task),
        events: latest(events).map((event) => taskEventRecord(event, hub.publicIds)),
        ...replies,
      };
    }),
});

async function repliesOf(reader: Reader, { task_seq }: Task): Promise<Message[]> {
  const { shown } = await readFirst(MAX_TASK_REPLIES, MAX_PAGE_BYTES, (count, skipped) =>
    messages.listOfTask(reader, task_seq, count, skipped),
  );
  return shown.reverse();
}

/** Oldest first. The number of retries is unlimited; GET /api/task-events lists all events, in pages. */
function latest<Item>(newestFirst: readonly Item[]): Item[] {
  return firstWithin(newestFirst, MAX_PAGE_BYTES).toReversed();
}
