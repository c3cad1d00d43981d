// SPECIFICATION.md §3 to §5 as seen by a client: sessions, tasks and inboxes, except the transitions.
import { expect } from 'vitest';
import { type JsonObject, listOf, objectOf, textOf } from '../../support/json.ts';
import type { TestNetwork } from './fixture.ts';
import type { Row } from './row-tests.ts';
import { untilOffline, withShortTimeouts } from './short-timeouts.ts';

export const WORK_DECISION_ROWS: readonly Row[] = [
  [
    '§3 a known resume_id with a new alias renames, and pending mail moves',
    async (network) => {
      await network.report('bob');
      const task_id = await network.task();
      expect(await network.report('robert', { resume_id: 'bob-1' })).toMatchObject({ ok: true, inbox_count: 1 });
      expect(await inbox(network, 'bob')).toEqual([]);
      expect(await inbox(network, 'robert')).toMatchObject([{ id: task_id }]);
      expect(await network.tool('get_task', { task_id })).toMatchObject({ task: { to_name: 'robert' } });
      expect(await network.tool('get_session_status', { alias: 'bob' })).toMatchObject({ error: 'session not found' });
    },
  ],
  [
    '§3 a known alias with a new resume_id takes it over, with a warning',
    async (network) => {
      expect(await network.report('bob')).not.toHaveProperty('warning');
      const { warning } = await network.report('bob', { resume_id: 'bob-2' });
      expect(warning).toMatch(/^alias was in use by resume_id bob-1 seen \d+ s ago$/);
      const { sessions } = await network.tool('get_all_status');
      expect(sessions).toMatchObject([{ alias: 'bob', resume_id: 'bob-2' }]);
    },
  ],
  [
    '§3 omitted optional fields keep their value; an empty task clears it',
    async (network) => {
      await network.report('bob', { task: 'walls', model: 'm', progress: 5 });
      await network.report('bob');
      expect(await session(network)).toMatchObject({ task: 'walls', model: 'm', progress: 5 });
      await network.report('bob', { task: '' });
      expect(await session(network)).toMatchObject({ task: null, model: 'm' });
    },
  ],
  [
    '§3 an offline agent that polls gets its last reported status back',
    async ({ fixture }) => {
      const network = await withShortTimeouts(fixture);
      await network.report('bob', { status: 'blocked' });
      await untilOffline(network, 'bob');
      await network.tool('get_inbox', { alias: 'bob' });
      await expect.poll(async () => (await session(network)).status).toBe('blocked');
    },
  ],
  [
    '§3 a self-reported offline lasts until the next report',
    async (network) => {
      await network.report('bob', { status: 'offline' });
      await network.tool('get_inbox', { alias: 'bob' });
      expect((await session(network)).status).toBe('offline');
      await network.report('bob');
      expect((await session(network)).status).toBe('idle');
    },
  ],
  [
    '§4 message_id of send_task is the task_id, and the result has both',
    async (network) => {
      const { message_id, task_id } = await network.tool('send_task', { alias: 'bob', task: 'x' });
      expect(task_id).toBe(message_id);
    },
  ],
  [
    '§4 a later attempt has a different message id; both ids identify the task',
    async (network) => {
      const task_id = await network.task();
      await network.tool('reassign_task', { task_id, new_alias: 'carol' });
      const [message] = await inbox(network, 'carol');
      const id = textOf(message ?? {}, 'id');
      expect(id).not.toBe(task_id);
      expect(await network.tool('get_task', { task_id: id })).toMatchObject({ task: { task_id, attempt: 2 } });
      expect(await network.tool('send_ack', { task_id: id })).toEqual({ ok: true, task_id, updated: 1 });
    },
  ],
  [
    '§4 a late worker cannot overwrite its successor',
    async (network) => {
      const task_id = await network.task();
      await network.tool('reassign_task', { task_id, new_alias: 'carol' });
      const reply = (from_session: string) =>
        network.tool('send_reply', { alias: 'alice', text: 'built', in_reply_to: task_id, from_session });
      expect((await reply('bob')).error).toBe('task is terminal');
      expect((await reply('carol')).ok).toBe(true);
    },
  ],
  [
    '§4 report_status, report_completion and ack_inbox that name a terminal task leave it untouched',
    async (network) => {
      const task_id = await network.task();
      await network.tool('cancel_task', { task_id });
      const before = await network.tool('get_task', { task_id });
      expect((await network.report('bob', { status: 'working', task: task_id })).ok).toBe(true);
      expect((await network.tool('report_completion', { alias: 'bob', task: task_id, result: 'built' })).ok).toBe(true);
      expect((await network.tool('ack_inbox', { alias: 'bob', message_id: task_id })).ok).toBe(true);
      const { acked_at: _, ...after } = objectOf(await network.tool('get_task', { task_id }), 'task');
      expect(objectOf(before, 'task')).toMatchObject(after);
      expect(await inbox(network, 'alice')).toEqual([]);
    },
  ],
  [
    '§4 send_reply to a plain message links it; without in_reply_to it is a plain reply',
    async (network) => {
      const { message_id } = await network.tool('send_message', {
        alias: 'alice',
        message: 'lunch?',
        from_session: 'bob',
      });
      await network.tool('send_reply', { alias: 'bob', text: 'yes', in_reply_to: message_id, from_session: 'alice' });
      await network.tool('send_reply', { alias: 'bob', text: 'soon', from_session: 'alice' });
      const [linked, plain] = await inbox(network, 'bob');
      expect(linked).toMatchObject({ type: 'reply', content: 'yes', in_reply_to: message_id });
      expect(plain).toMatchObject({ type: 'reply', content: 'soon' });
      expect(plain).not.toHaveProperty('in_reply_to');
    },
  ],
  [
    '§4 fetched_at, acked_at and started_at show the progress of a task',
    async (network) => {
      const task_id = await network.task();
      const task = async () => objectOf(await network.tool('get_task', { task_id }), 'task');
      expect(Object.keys(await task())).not.toEqual(expect.arrayContaining(['fetched_at']));
      await inbox(network, 'bob');
      expect(await task()).toMatchObject({ fetched_at: expect.any(String), started_at: null });
      await network.tool('ack_inbox', { alias: 'bob', message_id: task_id });
      expect(await task()).toMatchObject({ acked_at: expect.any(String), started_at: expect.any(String) });
    },
  ],
  [
    '§4 to an unknown alias: stored, session_status unknown, and a warning',
    async (network) => {
      expect(await network.tool('send_task', { alias: 'bob', task: 'x' })).toMatchObject({
        session_status: 'unknown',
        warning: expect.any(String),
      });
      expect(await inbox(network, 'bob')).toHaveLength(1);
      await network.report('bob', { status: 'offline' });
      expect(await network.tool('send_message', { alias: 'bob', message: 'x' })).toMatchObject({
        session_status: 'offline',
        warning: expect.any(String),
      });
      await network.report('bob');
      expect(await network.tool('send_message', { alias: 'bob', message: 'y' })).not.toHaveProperty('warning');
    },
  ],
  [
    '§4 wait_task: settled is false after the timeout, true when the task is terminal',
    async (network) => {
      const task_id = await network.task();
      expect(await network.tool('wait_task', { task_id, timeout_seconds: 0 })).toMatchObject({
        ok: true,
        settled: false,
        task: { task_id, status: 'delivered' },
      });
      const waiting = network.tool('wait_task', { task_id, timeout_seconds: 20 });
      await network.tool('send_reply', { alias: 'alice', text: 'built', in_reply_to: task_id, from_session: 'bob' });
      expect(await waiting).toMatchObject({ ok: true, settled: true, task: { status: 'replied', result: 'built' } });
    },
  ],
  [
    '§4 get_inbox with wait_seconds waits for a first message',
    async (network) => {
      const waiting = network.tool('get_inbox', { alias: 'bob', wait_seconds: 20 });
      const task_id = await network.task();
      expect((await waiting).messages).toMatchObject([{ id: task_id }]);
      expect((await network.tool('get_inbox', { alias: 'nobody', wait_seconds: 1 })).messages).toEqual([]);
    },
  ],
  ...sends().map(
    ([tool, args, text]): Row => [
      `§4 idempotency_key: ${tool} is done once, and another call with the key is idempotency_conflict`,
      async (network) => {
        await network.report('bob');
        const call = (more: object) =>
          network.tool(tool, { ...args, from_session: 'alice', idempotency_key: 'k', ...more });
        const first = await call({});
        expect(await call({})).toEqual(first);
        expect(await inbox(network, 'bob')).toHaveLength(1);
        expect(await call({ [text]: 'something else' })).toMatchObject({ ok: false, error: 'idempotency_conflict' });
        const other = tool === 'send_message' ? 'send_task' : 'send_message';
        expect(
          await network.tool(other, { alias: 'bob', task: 'x', message: 'x', idempotency_key: 'k' }),
        ).toMatchObject({
          error: 'idempotency_conflict',
        });
      },
    ],
  ),
  [
    '§4 idempotency_key: failures are not stored',
    async (network) => {
      const reply = () =>
        network.tool('send_reply', { alias: 'alice', text: 'x', in_reply_to: 'task_nowhere', idempotency_key: 'k' });
      expect((await reply()).error).toBe('task not found');
      expect(await network.tool('send_message', { alias: 'bob', message: 'x', idempotency_key: 'k' })).toMatchObject({
        ok: true,
      });
    },
  ],
  [
    '§5 ack_inbox is idempotent for the same message',
    async (network) => {
      const message_id = await network.task();
      const ack = () => network.tool('ack_inbox', { alias: 'bob', message_id });
      expect(await ack()).toEqual({ ok: true });
      // Another session of bob may run the task.
      expect(await ack()).toEqual({ ok: true, warning: expect.stringContaining('acknowledged before') });
    },
  ],
  [
    '§5 get_inbox returns every message until it is acknowledged',
    async (network) => {
      const id = await network.task();
      for (let count = 0; count < 2; count++) expect(await inbox(network, 'bob')).toMatchObject([{ id }]);
    },
  ],
  [
    '§5 a task message has task_id and attempt; other messages have priority normal',
    async (network) => {
      await network.report('bob');
      const task_id = await network.task({ priority: 'high' });
      await network.tool('send_message', { alias: 'bob', message: 'm' });
      await network.tool('send_reply', { alias: 'bob', text: 'r' });
      await network.tool('broadcast', { content: 'b' });
      const [task, ...others] = await inbox(network, 'bob');
      expect(task).toMatchObject({ type: 'task', priority: 'high', task_id, attempt: 1 });
      expect(others.map(({ type, priority }) => [type, priority])).toEqual([
        ['message', 'normal'],
        ['reply', 'normal'],
        ['broadcast', 'normal'],
      ]);
      for (const other of others) expect(other).not.toHaveProperty('attempt');
    },
  ],
  [
    '§5 broadcast reaches every agent except the sender, identified by alias or resume_id',
    async (network) => {
      for (const alias of ['alice', 'bob', 'carol']) await network.report(alias);
      for (const from_session of ['alice', 'alice-1']) {
        expect(await network.tool('broadcast', { content: 'all hands', from_session })).toEqual({
          ok: true,
          delivered_count: 2,
        });
      }
      expect(await inbox(network, 'alice')).toEqual([]);
      expect(await inbox(network, 'carol')).toHaveLength(2);
    },
  ],
];

function sends(): [tool: string, args: object, text: string][] {
  return [
    ['send_task', { alias: 'bob', task: 'x' }, 'task'],
    ['send_message', { alias: 'bob', message: 'x' }, 'message'],
    ['send_reply', { alias: 'bob', text: 'x' }, 'text'],
    ['broadcast', { content: 'x' }, 'content'],
  ];
}

async function inbox(network: TestNetwork, alias: string): Promise<JsonObject[]> {
  return listOf(await network.tool('get_inbox', { alias, limit: 100 }), 'messages');
}

async function session(network: TestNetwork): Promise<JsonObject> {
  return objectOf(await network.tool('get_session_status', { alias: 'bob' }), 'session');
}
