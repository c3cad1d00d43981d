// The session, task, message and record endpoints of the interface and of SPECIFICATION.md §7.
import * as v from 'valibot';
import type { JsonObject } from '../../../support/json.ts';
import type { TestNetwork } from '../fixture.ts';
import { anyText, flag, ids, moment, oneOf, required, text, whole } from '../members.ts';
import * as shapes from '../shapes.ts';
import { list, ok, SESSION_STATUS, TASK_STATUS, timestamp } from '../shapes.ts';
import {
  ACKED,
  BROADCAST,
  CANCELLED,
  REASSIGNED,
  RECEIPT,
  RETRIED,
  SESSION_STATUS_RESPONSE,
  TASK_RECEIPT,
} from '../tools.ts';
import { type Call, type EndpointRows, networkId, page } from './endpoint-row.ts';

const fromSession = { from_session: text() };
const idempotencyKey = { idempotency_key: text() };
const priority = oneOf('high', 'normal', 'low');
const taskStatus = oneOf('replied', 'running', 'delivered', 'failed', 'cancelled', 'expired');

const TIMES = v.strictObject({
  tasks: shapes.whole,
  p50_ms: v.nullable(shapes.whole),
  p95_ms: v.nullable(shapes.whole),
});

const FIGURES = {
  queue_age_ms: v.nullable(shapes.whole),
  time_to_start: TIMES,
  time_to_settle: TIMES,
  settled: v.strictObject({
    replied: shapes.whole,
    failed: shapes.whole,
    cancelled: shapes.whole,
    expired: shapes.whole,
  }),
  failure_rate: v.nullable(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
  settled_per_hour: v.pipe(v.number(), v.minValue(0)),
};

const aTask = async (network: TestNetwork, given: JsonObject = {}): Promise<Call> => ({
  path: { task_id: await network.task({ context: 'c' }) },
  given,
});

export const WORK_ENDPOINTS: EndpointRows = {
  'GET /api/status': {
    auth: 'N',
    members: {
      ...networkId,
      status: oneOf('idle', 'working', 'offline'),
      with_summary: oneOf('true', 'false'),
      ...page,
    },
    prepare: async (network) => {
      await network.report('bob');
      return {};
    },
    responses: v.strictObject({
      sessions: v.pipe(v.array(shapes.SESSION_WITH_INBOX), v.minLength(1)),
      summary: v.optional(shapes.STATUS_COUNTS),
      next_cursor: v.optional(shapes.text),
    }),
  },
  'GET /api/status/:alias': {
    auth: 'N',
    members: networkId,
    prepare: async (network) => {
      await network.report('bob');
      return { path: { alias: 'bob' } };
    },
    responses: SESSION_STATUS_RESPONSE,
  },
  'GET /api/session': {
    auth: 'N',
    members: { alias: required(text()), ...networkId },
    prepare: async (network) => {
      await network.report('..');
      return { given: { alias: '..' } };
    },
    responses: SESSION_STATUS_RESPONSE,
  },
  'GET /api/tasks': {
    auth: 'N',
    members: {
      ...networkId,
      status: taskStatus,
      to_name: text(),
      from_name: text(),
      priority,
      text: text(),
      created_after: moment,
      created_before: moment,
      order: oneOf('newest', 'oldest'),
      with_total: oneOf('true', 'false'),
      partial: oneOf('true', 'false'),
      outline: oneOf('true', 'false'),
      ...page,
    },
    prepare: async (network) => {
      await network.task();
      return { given: { with_total: true } };
    },
    responses: list('tasks', shapes.TASK, { total: shapes.whole, stats: shapes.STATUS_COUNTS }),
  },
  'POST /api/tasks': {
    auth: 'N',
    members: {
      alias: required(text()),
      task: required(text(10_000)),
      priority,
      context: anyText(10_000),
      ...fromSession,
      ttl_seconds: whole(1, 86_400),
      ...networkId,
      ...idempotencyKey,
    },
    prepare: () => ({ given: { alias: 'bob', task: 'build it' } }),
    responses: TASK_RECEIPT,
  },
  'GET /api/tasks/:task_id': {
    auth: 'N',
    members: networkId,
    prepare: (network) => aTask(network),
    responses: ok({ task: shapes.TASK, moments_ms: shapes.TASK_MOMENTS, events: v.array(shapes.TASK_EVENT) }),
  },
  'GET /api/tasks/:task_id/why': {
    auth: 'N',
    members: networkId,
    prepare: (network) => aTask(network),
    responses: ok({
      why: shapes.text,
      facts: v.strictObject({
        status: TASK_STATUS,
        attempt: shapes.whole,
        assignee: shapes.text,
        assignee_status: v.union([SESSION_STATUS, v.literal('unknown')]),
        assignee_last_seen_at: v.nullable(timestamp),
        messages_ahead: shapes.whole,
        expires_in_seconds: shapes.whole,
        notified_at: v.nullable(timestamp),
        fetched_at: v.nullable(timestamp),
        acked_at: v.nullable(timestamp),
      }),
    }),
  },
  'POST /api/tasks/:task_id/reply': {
    auth: 'N',
    members: {
      text: required(text(10_000)),
      alias: text(),
      status: oneOf('replied', 'failed', 'cancelled'),
      ...fromSession,
      ...networkId,
      ...idempotencyKey,
    },
    prepare: (network) => aTask(network, { text: 'built' }),
    responses: RECEIPT,
  },
  'POST /api/tasks/:task_id/ack': {
    auth: 'N',
    members: { ...fromSession, ...networkId },
    prepare: (network) => aTask(network),
    responses: ACKED,
  },
  'POST /api/tasks/:task_id/cancel': {
    auth: 'N',
    members: { reason: anyText(1_000), ...fromSession, ...networkId },
    prepare: (network) => aTask(network),
    responses: CANCELLED,
  },
  'POST /api/tasks/:task_id/retry': {
    auth: 'N',
    members: { new_alias: text(), ...fromSession, ...networkId },
    prepare: async (network) => {
      const task_id = await network.task();
      await network.tool('cancel_task', { task_id });
      return { path: { task_id } };
    },
    responses: RETRIED,
  },
  'POST /api/tasks/:task_id/reassign': {
    auth: 'N',
    members: { new_alias: required(text()), ...fromSession, ...networkId },
    prepare: (network) => aTask(network, { new_alias: 'carol' }),
    responses: REASSIGNED,
  },
  'GET /api/messages': {
    auth: 'N',
    members: {
      alias: text(),
      from_session: text(),
      pending: oneOf('true', 'false'),
      text: text(),
      type: oneOf('task', 'message', 'reply', 'broadcast', 'cancel'),
      without_tasks: oneOf('true', 'false'),
      partial: oneOf('true', 'false'),
      ...networkId,
      ...page,
    },
    prepare: async (network) => {
      await network.task({ context: 'c' });
      return {};
    },
    responses: list('messages', shapes.MESSAGE_IN_LIST),
  },
  'GET /api/messages/:message_id': {
    auth: 'N',
    members: networkId,
    prepare: async (network) => ({ path: { message_id: await network.task() } }),
    responses: ok({ message: shapes.MESSAGE_IN_LIST }),
  },
  'POST /api/messages': {
    auth: 'N',
    members: {
      alias: required(text()),
      message: required(text(10_000)),
      in_reply_to: text(),
      ...fromSession,
      ...networkId,
      ...idempotencyKey,
    },
    prepare: () => ({ given: { alias: 'bob', message: 'lunch?' } }),
    responses: RECEIPT,
  },
  'POST /api/messages/read': {
    auth: 'N',
    members: { message_ids: required(ids(100)), ...networkId },
    prepare: async (network) => {
      const { message_id } = await network.tool('send_message', { alias: 'hub', message: 'which branch?' });
      return { given: { message_ids: [message_id] } };
    },
    responses: ok({ read: shapes.whole }),
  },
  'POST /api/broadcast': {
    auth: 'N',
    members: { content: required(text(10_000)), ...fromSession, ...networkId, ...idempotencyKey },
    prepare: async (network) => {
      await network.report('bob');
      return { given: { content: 'all hands' } };
    },
    responses: BROADCAST,
  },
  'GET /api/nodes': {
    auth: 'N',
    members: { ...networkId, ...page },
    prepare: async (network) => {
      await network.report('bob', { node_id: 'n1', hostname: 'h' });
      return {};
    },
    responses: list('nodes', shapes.NODE),
  },
  'GET /api/completions': {
    auth: 'N',
    members: { alias: text(), ...networkId, ...page },
    prepare: async (network) => {
      await network.tool('report_completion', { alias: 'bob', task: 'built it', result: 'r', artifacts: ['a.ts'] });
      return {};
    },
    responses: list('completions', shapes.COMPLETION_IN_LIST),
  },
  'GET /api/task_events': {
    auth: 'N',
    members: { task_id: text(), ...networkId, ...page },
    prepare: async (network) => ({ given: { task_id: await network.task() } }),
    responses: list('events', shapes.TASK_EVENT),
  },

  'POST /hooks/wake': {
    auth: 'N',
    members: { alias: required(text()), session_id: text(), first: flag, ...networkId },
    prepare: async (network) => {
      await network.task();
      return { given: { alias: 'bob', session_id: 's-1' } };
    },
    responses: v.strictObject({ mention: shapes.text }),
  },
  'POST /hooks/:client': {
    auth: 'N',
    members: {
      alias: required(text()),
      hook_event_name: required(text()),
      session_id: required(text()),
      stop_hook_active: flag,
      cwd: anyText(2_000),
      model: anyText(2_000),
      ...networkId,
    },
    prepare: async (network) => {
      await network.task();
      return { path: { client: 'claude-code' }, given: { alias: 'bob', hook_event_name: 'Stop', session_id: 's-1' } };
    },
    responses: v.strictObject({
      hookSpecificOutput: v.strictObject({ hookEventName: v.literal('Stop'), additionalContext: shapes.text }),
    }),
  },

  // Marked U in the interface. SPECIFICATION.md §1 accepts both kinds of token.
  'GET /api/stats': {
    auth: 'N',
    members: { scope: oneOf('own', 'hub'), ...networkId },
    responses: v.strictObject({ sessions: shapes.SESSION_COUNTS, tasks: shapes.TASK_COUNTS }),
  },
  'GET /api/stats/throughput': {
    auth: 'N',
    members: { hours: whole(1, 168), ...networkId },
    responses: ok({
      until: timestamp,
      bucket_seconds: shapes.whole,
      buckets: v.pipe(
        v.array(
          v.strictObject({
            at: timestamp,
            sent: shapes.whole,
            replied: shapes.whole,
            failed: shapes.whole,
            cancelled: shapes.whole,
            expired: shapes.whole,
          }),
        ),
        v.length(60),
      ),
    }),
  },
  'GET /api/stats/figures': {
    auth: 'N',
    members: { alias: text(), hours: whole(1, 168), ...networkId },
    responses: ok({ since: timestamp, until: timestamp, ...FIGURES }),
  },
  'GET /api/stats/agents': {
    auth: 'N',
    members: { hours: whole(1, 168), ...networkId, ...page },
    prepare: async (network) => {
      await network.report('bob');
      return {};
    },
    responses: ok({
      since: timestamp,
      until: timestamp,
      agents: v.pipe(
        v.array(v.strictObject({ network_id: shapes.text, alias: shapes.text, ...FIGURES })),
        v.minLength(1),
      ),
      count: shapes.whole,
      next_cursor: v.optional(shapes.text),
    }),
  },
};
