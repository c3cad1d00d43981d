// One task with all that happened to it, as GET /api/tasks/:id answers.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { messageRecord } from '../../domain/message.ts';
import { taskEventRecord } from '../../domain/task-event.ts';
import { taskRecord } from '../../domain/task.ts';
import * as messages from '../../store/messages.ts';
import * as taskEvents from '../../store/task-events.ts';
import { readTasks } from '../late-marks.ts';
import { operation } from '../operation.ts';
import { getInAny } from './get-task.ts';

export const showTask = operation({
  name: 'show_task',
  summary: 'Show a task and what happened to it.',
  access: 'read',
  input: v.object({ task_id: fields.taskId, network_id: fields.networkId }),
  run: (hub, caller, request) =>
    readTasks(hub, async (reader) => {
      const task = await getInAny(reader, caller.networks, request.task_id);
      const events = await taskEvents.listOfTask(reader, task.task_id);
      // A retry takes the result off the task; what was said of an earlier attempt stands in its messages.
      const replies = task.attempt > 1 && { replies: (await messages.listOfTask(reader, task.task_id)).map(messageRecord) };
      return { ok: true, task: taskRecord(task), events: events.map(taskEventRecord), ...replies };
    }),
});
