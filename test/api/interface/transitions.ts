// The task transitions of the interface and of SPECIFICATION.md §4.
import { expect } from 'vitest';
import { type JsonObject, listOf, objectOf, textOf } from '../../support/json.ts';
import type { TestNetwork } from './fixture.ts';
import type { Row } from './row-tests.ts';
import { untilOffline, withShortTimeouts } from './short-timeouts.ts';

type Ending = 'replied' | 'failed' | 'cancelled';

export const MOVE_ROWS: readonly Row[] = [
  [
    'session, any: report_status → the given status, last_seen_at updated, inbox_count returned',
    async (network) => {
      await network.task();
      expect(await network.report('bob', { status: 'blocked' })).toMatchObject({ ok: true, inbox_count: 1 });
      expect(await network.report('bob', { status: 'working' })).toMatchObject({ inbox_count: 1 });
      expect(await network.tool('get_session_status', { alias: 'bob' })).toMatchObject({
        session: { status: 'working' },
        inbox_pending: 1,
      });
    },
  ],
  [
    'session, any: report_completion → idle, and a completion record is created',
    async (network) => {
      await network.report('bob', { status: 'working', task: 'walls', progress: 90 });
      const { completion_id } = await network.tool('report_completion', {
        alias: 'bob',
        task: 'walls',
        result: 'white',
      });
      expect(await network.tool('get_session_status', { alias: 'bob' })).toMatchObject({
        session: { status: 'idle' },
        recent_completions: [{ id: completion_id, task: 'walls', result: 'white' }],
      });
    },
  ],
  [
    'session, any non-offline: no heartbeat for too long → offline in get_all_status',
    async ({ fixture }) => {
      const network = await withShortTimeouts(fixture);
      await network.report('bob', { status: 'working' });
      await untilOffline(network, 'bob');
      expect(await network.tool('get_all_status')).toMatchObject({
        sessions: [{ alias: 'bob', status: 'offline' }],
        summary: [{ status: 'offline', count: 1 }],
      });
      expect(await network.tool('get_all_status', { filter_status: 'offline' })).toMatchObject({
        sessions: [{ alias: 'bob' }],
      });
      await network.report('bob');
      expect(await network.tool('get_all_status')).toMatchObject({ sessions: [{ status: 'idle' }] });
    },
  ],
  ...(['failed', 'cancelled'] as const).map(
    (status): Row => [
      `task ${status}: retry_task → delivered, and names the agent`,
      async (network) => {
        const task_id = await network.task();
        await end(network, task_id, status);
        expect(await network.tool('retry_task', { task_id })).toEqual({ ok: true, task_id, retried_to: 'bob' });
        await expectTask(network, task_id, {
          status: 'delivered',
          attempt: 2,
          result: null,
          started_at: null,
          completed_at: null,
        });
      },
    ],
  ),
  [
    'task expired: retry_task → delivered, with a new ttl',
    async (network) => {
      const task_id = await expired(network);
      expect(await network.tool('retry_task', { task_id })).toEqual({ ok: true, task_id, retried_to: 'bob' });
      await expectTask(network, task_id, { status: 'delivered', attempt: 2 });
    },
  ],
  ...(['delivered', 'running', 'replied'] as const).map(
    (status): Row => [
      `task ${status}: retry_task → task status is ${status}, not retryable`,
      async (network) => {
        const task_id = await network.task();
        if (status === 'running') await network.tool('send_ack', { task_id });
        if (status === 'replied') await end(network, task_id, 'replied');
        expect((await network.tool('retry_task', { task_id })).error).toBe(`task status is ${status}, not retryable`);
        await expectTask(network, task_id, { status, attempt: 1 });
      },
    ],
  ),

  [
    'delivered: send_ack → running',
    async (network) => {
      const task_id = await network.task();
      expect(await network.tool('send_ack', { task_id })).toEqual({ ok: true, task_id, updated: 1 });
      await expectTask(network, task_id, { status: 'running', started_at: expect.any(String) });
      expect(await network.tool('send_ack', { task_id })).toEqual({ ok: true, task_id, updated: 0 });
    },
  ],
  [
    'delivered: ack_inbox of its message → running',
    async (network) => {
      const task_id = await network.task();
      await network.tool('ack_inbox', { alias: 'bob', message_id: task_id });
      await expectTask(network, task_id, { status: 'running' });
    },
  ],
  [
    'delivered: report_status(working) naming it → running',
    async (network) => {
      const [byId, byContent] = [await network.task(), await network.task({ task: 'walls' })];
      await network.report('bob', { status: 'working', task: byId });
      await network.report('bob', { status: 'working', task: 'walls' });
      await expectTask(network, byId, { status: 'running' });
      await expectTask(network, byContent, { status: 'running' });
    },
  ],
  ...(['replied', 'failed', 'cancelled'] as const).flatMap((status): Row[] => [
    [
      `delivered: send_reply → ${status}, its message leaves, the reply arrives`,
      async (network) => settles(network, await network.task(), status),
    ],
    [
      `running: send_reply → ${status}`,
      async (network) => {
        const task_id = await network.task();
        await network.tool('send_ack', { task_id });
        await settles(network, task_id, status);
      },
    ],
  ]),
  [
    'delivered: report_completion naming it → replied, as a reply to the sender',
    async (network) => {
      const task_id = await network.task();
      await network.tool('report_completion', { alias: 'bob', task: task_id, result: 'built' });
      await expectTask(network, task_id, { status: 'replied', result: 'built' });
      expect(await inbox(network, 'alice')).toMatchObject([
        { type: 'reply', in_reply_to: task_id, content: 'built', from_session: 'bob', status: 'replied' },
      ]);
    },
  ],
  [
    'delivered: cancel_task → cancelled, the assignee gets a cancel message',
    async (network) => {
      const task_id = await network.task();
      expect(await network.tool('cancel_task', { task_id, reason: 'no need', from_session: 'alice' })).toEqual({
        ok: true,
        task_id,
        cancelled: true,
      });
      await expectTask(network, task_id, { status: 'cancelled', result: 'no need' });
      expect(await inbox(network, 'bob')).toMatchObject([{ type: 'cancel', task_id, from_session: 'alice' }]);
    },
  ],
  [
    'running: reassign_task → delivered to the new agent, the old one gets a cancel message',
    async (network) => {
      const task_id = await network.task();
      const { expires_at } = objectOf(await network.tool('get_task', { task_id }), 'task');
      await network.tool('send_ack', { task_id });
      expect(await network.tool('reassign_task', { task_id, new_alias: 'carol' })).toEqual({
        ok: true,
        task_id,
        reassigned_from: 'bob',
        reassigned_to: 'carol',
      });
      await expectTask(network, task_id, {
        status: 'delivered',
        to_name: 'carol',
        attempt: 2,
        started_at: null,
        expires_at,
      });
      expect(await inbox(network, 'bob')).toMatchObject([{ type: 'cancel', task_id }]);
      expect(await inbox(network, 'carol')).toMatchObject([{ type: 'task', task_id, attempt: 2 }]);
    },
  ],
  [
    'delivered past expires_at → expired, its message is removed',
    async (network) => {
      await expired(network);
      expect(await inbox(network, 'bob')).toEqual([]);
    },
  ],
];

async function end(network: TestNetwork, task_id: string, status: Ending): Promise<void> {
  await network.tool('send_reply', { alias: 'alice', text: 'so', in_reply_to: task_id, status, from_session: 'bob' });
}

async function settles(network: TestNetwork, task_id: string, status: Ending): Promise<void> {
  await end(network, task_id, status);
  await expectTask(network, task_id, { status, result: 'so', completed_at: expect.any(String) });
  expect(await inbox(network, 'bob')).toEqual([]);
  expect(await inbox(network, 'alice')).toMatchObject([
    { type: 'reply', in_reply_to: task_id, status, content: 'so', from_session: 'bob' },
  ]);
}

async function expired(network: TestNetwork): Promise<string> {
  const task_id = await network.task({ ttl_seconds: 1 });
  expect(await network.tool('wait_task', { task_id, timeout_seconds: 10 })).toMatchObject({
    settled: true,
    task: { status: 'expired' },
  });
  return task_id;
}

async function expectTask(network: TestNetwork, task_id: string, expected: JsonObject): Promise<void> {
  const task = objectOf(await network.tool('get_task', { task_id }), 'task');
  expect(task).toMatchObject(expected);
  expect(textOf(task, 'task_id')).toBe(task_id);
}

async function inbox(network: TestNetwork, alias: string) {
  return listOf(await network.tool('get_inbox', { alias, limit: 100 }), 'messages');
}
