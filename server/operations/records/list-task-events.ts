// Lists the events of tasks, newest first.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { DEFAULT_REST_LIMIT, MAX_REST_LIMIT } from '../../domain/limits.ts';
import { taskEventRecord } from '../../domain/task-event.ts';
import * as taskEvents from '../../store/task-events.ts';
import { operation } from '../operation.ts';
import { numbered, readPage } from '../page.ts';

export const listTaskEvents = operation({
  name: 'list_task_events',
  summary: 'List task events, newest first.',
  access: 'read',
  input: v.object({
    task_id: v.optional(fields.taskId),
    network_id: fields.networkId,
    cursor: fields.cursor,
    limit: fields.limit(DEFAULT_REST_LIMIT, MAX_REST_LIMIT),
  }),
  run: (hub, caller, request, { store }) =>
    store.read(async (reader) => {
      const scope = { networks: caller.networks, cursors: numbered(hub, 'task_events') };
      const { items, ...page } = await readPage(scope, request, (asked) => taskEvents.list(reader, request, asked));
      return { ok: true, events: items.map((event) => taskEventRecord(event, hub.publicIds)), ...page };
    }),
});
