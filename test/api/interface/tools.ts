// The tools of the interface and of SPECIFICATION.md: every parameter with its rule, and every result field.
import * as v from 'valibot';
import type { JsonObject } from '../../support/json.ts';
import type { TestNetwork } from './fixture.ts';
import {
  anyText,
  cursor,
  flag,
  jsonArray,
  number,
  oneOf,
  type Rules,
  required,
  text,
  texts,
  whole,
} from './members.ts';
import * as shapes from './shapes.ts';
import {
  COMPLETION,
  COMPLETION_IN_LIST,
  list,
  MESSAGE,
  ok,
  SENT,
  SESSION,
  SESSION_IN_FULL,
  STATUS_COUNTS,
  TASK,
} from './shapes.ts';

export type ToolRow = {
  /** The tools in the interface's table. */
  parameters: Rules;
  /** The tools that SPECIFICATION.md adds. */
  additions?: Rules;
  /** Prepares a successful call and returns its required parameters. */
  prepare(network: TestNetwork): Promise<JsonObject> | JsonObject;
  responses: v.GenericSchema;
};

const networkId = { network_id: text() };
const fromSession = { from_session: text() };
const idempotencyKey = { idempotency_key: text() };
const attribute = anyText(2_000);

export const RECEIPT = ok(SENT);
export const TASK_RECEIPT = ok({ ...SENT, task_id: shapes.text });
export const ACKED = ok({ task_id: shapes.text, updated: shapes.whole });
export const RETRIED = ok({ task_id: shapes.text, retried_to: shapes.text });
export const CANCELLED = ok({ task_id: shapes.text, cancelled: v.boolean() });
export const REASSIGNED = ok({
  task_id: shapes.text,
  reassigned_from: shapes.text,
  reassigned_to: shapes.text,
  warning: v.optional(shapes.text),
});
export const SESSION_STATUS_RESPONSE = ok({
  session: SESSION_IN_FULL,
  inbox_pending: shapes.whole,
  recent_completions: v.array(COMPLETION),
});
export const BROADCAST = ok({ delivered_count: shapes.whole });

export const TOOL_ROWS: Readonly<Record<string, ToolRow>> = {
  report_status: {
    parameters: {
      resume_id: required(text()),
      alias: required(text()),
      status: required(oneOf('working', 'idle', 'blocked', 'error', 'waiting_input', 'offline')),
      task: anyText(10_000),
      output: anyText(50_000),
      score: number(1, 10),
      progress: number(0, 100),
      server: attribute,
      hostname: attribute,
      project_dir: attribute,
      version: attribute,
      tmux_name: attribute,
      node_id: attribute,
      session_id: attribute,
      config_path: attribute,
      model: attribute,
      node_name: attribute,
      ...networkId,
      agent: attribute,
      channels: jsonArray(2_000),
    },
    prepare: () => ({ resume_id: 'bob-1', alias: 'bob', status: 'idle' }),
    responses: ok({ resume_id: v.literal('bob-1'), alias: v.literal('bob'), inbox_count: shapes.whole }),
  },
  report_completion: {
    parameters: {
      alias: required(text()),
      task: required(text(10_000)),
      result: required(anyText(50_000)),
      artifacts: texts(50),
      score: number(0, 10),
      duration_minutes: { type: 'number', least: 0, takes: [0.5, 100_000] },
      ...networkId,
    },
    prepare: () => ({ alias: 'bob', task: 'build it', result: 'built' }),
    responses: ok({ completion_id: shapes.text }),
  },
  get_inbox: {
    parameters: { alias: required(text()), limit: whole(1, 100) },
    additions: { wait_seconds: whole(0, 300), peek: flag, ...networkId },
    prepare: async (network) => {
      await network.task({ context: 'c' });
      return { alias: 'bob' };
    },
    responses: ok({ messages: v.pipe(v.array(MESSAGE), v.minLength(1)) }),
  },
  ack_inbox: {
    parameters: { alias: required(text()), message_id: required(text()), response: anyText(10_000) },
    additions: networkId,
    prepare: async (network) => ({ alias: 'bob', message_id: await network.task() }),
    responses: ok({}),
  },

  send_task: {
    parameters: {
      alias: required(text()),
      task: required(text(10_000)),
      priority: oneOf('high', 'normal', 'low'),
      context: anyText(10_000),
      ...fromSession,
      ttl_seconds: whole(1, 86_400),
      ...networkId,
    },
    additions: idempotencyKey,
    prepare: () => ({ alias: 'bob', task: 'build it' }),
    responses: TASK_RECEIPT,
  },
  send_message: {
    parameters: { alias: required(text()), message: required(text(10_000)), ...fromSession },
    additions: { in_reply_to: text(), ...networkId, ...idempotencyKey },
    prepare: () => ({ alias: 'bob', message: 'lunch?' }),
    responses: RECEIPT,
  },
  send_reply: {
    parameters: {
      alias: required(text()),
      text: required(text(10_000)),
      in_reply_to: text(),
      status: oneOf('replied', 'failed', 'cancelled'),
      ...fromSession,
    },
    additions: { ...networkId, ...idempotencyKey },
    prepare: () => ({ alias: 'alice', text: 'built' }),
    responses: RECEIPT,
  },
  send_ack: {
    parameters: { task_id: required(text()), ...fromSession },
    additions: networkId,
    prepare: async (network) => ({ task_id: await network.task() }),
    responses: ACKED,
  },
  retry_task: {
    parameters: { task_id: required(text()), ...fromSession },
    additions: { new_alias: text(), ...networkId },
    prepare: async (network) => {
      const task_id = await network.task();
      await network.tool('cancel_task', { task_id });
      return { task_id };
    },
    responses: RETRIED,
  },
  cancel_task: {
    parameters: { task_id: required(text()), reason: anyText(1_000), ...fromSession },
    additions: networkId,
    prepare: async (network) => ({ task_id: await network.task() }),
    responses: CANCELLED,
  },
  reassign_task: {
    parameters: { task_id: required(text()), new_alias: required(text()), ...fromSession },
    additions: networkId,
    prepare: async (network) => ({ task_id: await network.task(), new_alias: 'carol' }),
    responses: REASSIGNED,
  },
  // The eighth task tool, added by SPECIFICATION.md §4.
  wait_task: {
    parameters: { task_id: required(text()), timeout_seconds: whole(0, 300) },
    additions: networkId,
    prepare: async (network) => {
      const task_id = await network.task();
      await network.tool('cancel_task', { task_id });
      return { task_id };
    },
    responses: ok({ task: TASK, settled: v.boolean() }),
  },

  get_task: {
    parameters: { task_id: required(text()) },
    additions: networkId,
    prepare: async (network) => ({ task_id: await network.task({ context: 'c' }) }),
    responses: ok({ task: TASK }),
  },
  list_tasks: {
    parameters: {
      alias: text(),
      status: oneOf('replied', 'running', 'delivered', 'failed', 'cancelled', 'expired'),
      from_name: text(),
      ...networkId,
      limit: whole(1, 100),
    },
    additions: { cursor },
    prepare: async (network) => {
      await network.task();
      return {};
    },
    responses: list('tasks', TASK, { stats: STATUS_COUNTS }),
  },
  get_all_status: {
    parameters: { filter_status: oneOf('idle', 'working', 'offline'), filter_server: anyText(2_000), ...networkId },
    additions: { cursor, limit: whole(1, 500) },
    prepare: async (network) => {
      await network.report('bob');
      return {};
    },
    responses: ok({
      sessions: v.pipe(v.array(SESSION), v.minLength(1)),
      summary: STATUS_COUNTS,
      next_cursor: v.optional(v.string()),
    }),
  },
  get_session_status: {
    parameters: { alias: required(text()) },
    additions: networkId,
    prepare: async (network) => {
      await network.report('bob', { server: 's', channels: '["a"]', output: 'o', score: 7, progress: 50 });
      await network.tool('report_completion', { alias: 'bob', task: 'built it', result: 'r' });
      return { alias: 'bob' };
    },
    responses: SESSION_STATUS_RESPONSE,
  },
  get_completions: {
    parameters: { alias: text(), limit: whole(1, 500) },
    additions: { ...networkId, cursor },
    prepare: async (network) => {
      await network.tool('report_completion', { alias: 'bob', task: 'built it', result: 'r', artifacts: ['a.ts'] });
      return {};
    },
    responses: list('completions', COMPLETION_IN_LIST),
  },

  broadcast: {
    parameters: { content: required(text(10_000)), ...fromSession, ...networkId },
    additions: idempotencyKey,
    prepare: async (network) => {
      await network.report('bob');
      return { content: 'all hands' };
    },
    responses: BROADCAST,
  },
};
