// list_tasks: lists tasks, newest first, with the counts per status of the whole network.
import * as v from 'valibot';
import type { NetworkReader } from '../../domain/accounts/caller.ts';
import * as fields from '../../domain/fields.ts';
import {
  DEFAULT_REST_LIMIT,
  DEFAULT_TASK_LIMIT,
  MAX_NAME,
  MAX_REST_LIMIT,
  MAX_TASK_LIMIT,
} from '../../domain/limits.ts';
import { OUTLINE_CHARACTERS, taskOutline, taskRecord } from '../../domain/task.ts';
import { TASK_STATUSES } from '../../domain/task-status.ts';
import type { Hub } from '../../hub.ts';
import * as taskCounts from '../../store/counts/task-counts.ts';
import type { Reader } from '../../store/engine/transaction.ts';
import type { SlicePage } from '../../store/lists/newest.ts';
import * as tasks from '../../store/tasks.ts';
import { type Context, operation } from '../operation.ts';
import { numbered, type PageRequest, readPage, withCut } from '../page.ts';
import { countInSlices, inSlices, openTimeLimit } from '../slices.ts';
import { readTasks } from '../write-behind.ts';

const filters = {
  status: v.optional(fields.oneOf(TASK_STATUSES)),
  from_name: v.optional(fields.described(fields.name, 'sender')),
  network_id: fields.networkId,
  cursor: fields.cursor,
};

export const listTasks = operation({
  name: 'list_tasks',
  summary: 'List tasks.',
  access: 'read',
  input: v.object({
    alias: v.optional(fields.described(fields.name, 'recipient')),
    ...filters,
    limit: fields.limit(DEFAULT_TASK_LIMIT, MAX_TASK_LIMIT),
  }),
  run: (hub, caller, { alias, ...request }, context) => list(hub, caller, { ...request, to_name: alias }, context),
});

/** The same list with the parameters and defaults of GET /api/tasks. */
export const queryTasks = operation({
  name: 'query_tasks',
  summary: 'List tasks, newest first, with counts per status.',
  access: 'read',
  input: v.object({
    to_name: v.optional(fields.described(fields.name, 'recipient')),
    priority: v.optional(fields.priority),
    text: v.optional(fields.described(fields.text(MAX_NAME, 1), 'part of the content or result')),
    created_after: v.optional(fields.moment),
    created_before: v.optional(fields.moment),
    order: v.optional(fields.described(fields.oneOf(['newest', 'oldest']), 'newest first unless oldest')),
    with_total: v.optional(fields.described(fields.yesOrNo, 'whether to return the number of all matches as total')),
    partial: fields.partial,
    outline: v.optional(
      fields.described(
        fields.yesOrNo,
        `whether to return only the first ${OUTLINE_CHARACTERS} characters of content and result, without context`,
      ),
    ),
    ...filters,
    limit: fields.limit(DEFAULT_REST_LIMIT, MAX_REST_LIMIT),
  }),
  run: (hub, caller, request, context) => list(hub, caller, request, context),
});

type Request = tasks.TaskFilter &
  PageRequest & {
    order?: tasks.TaskOrder | undefined;
    with_total?: boolean | undefined;
    partial?: boolean | undefined;
    outline?: boolean | undefined;
  };

async function list(hub: Hub, caller: NetworkReader, request: Request, context: Context) {
  const { networks } = caller;
  const { stats, known } = await readTasks(hub, context.store, async (reader) => ({
    stats: await taskCounts.countByStatus(reader, networks),
    known: await tasks.countKnown(reader, request, networks),
  }));
  const scope = { networks, cursors: numbered(hub, 'tasks') };
  const timeLimit = request.partial === true ? openTimeLimit() : undefined;
  const { items, ...page } = await readPage(
    scope,
    request,
    inSlices(context, (reader, slice) => tasks.listSlice(reader, request, slice), { timeLimit, text: request.text }),
  );
  const count = (reader: Reader, slice: SlicePage) => tasks.countSlice(reader, request, slice);
  const total = request.with_total === true && {
    total: known ?? (await countInSlices(context, networks, count, request)),
  };
  return {
    ok: true,
    tasks: items.map(request.outline === true ? taskOutline : taskRecord),
    ...withCut(scope, page, timeLimit?.cutAt),
    ...total,
    stats,
  };
}
