// Rules for tools outside of their tables: behavior, order of results and defaults.
import { expect } from 'vitest';
import { TOOLS } from '../../../server/mcp/tools.ts';
import { listOf, objectOf, textOf } from '../../support/json.ts';
import type { TestNetwork } from './fixture.ts';
import type { Row } from './row-tests.ts';

export const TOOL_RULE_ROWS: readonly Row[] = [
  [
    '18 tools: agent-side 4, task management 8, query 5, broadcast 1',
    async (network) => {
      const { body } = await network.ask('POST', '/mcp', { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } });
      expect(listOf(objectOf(body, 'result'), 'tools').map(({ name }) => name)).toEqual([
        'report_status',
        'report_completion',
        'get_inbox',
        'ack_inbox',
        'send_task',
        'send_message',
        'send_reply',
        'send_ack',
        'retry_task',
        'cancel_task',
        'reassign_task',
        'wait_task',
        'get_task',
        'list_tasks',
        'get_all_status',
        'get_session_status',
        'get_completions',
        'broadcast',
      ]);
      expect(TOOLS).toHaveLength(18);
    },
  ],
  [
    'get_inbox: high, then normal, then low; within one priority by time',
    async (network) => {
      const sent: Record<string, string> = {};
      for (const priority of ['low', 'normal', 'high', 'low', 'normal', 'high']) {
        const task = `${priority} ${Object.keys(sent).length}`;
        sent[task] = await network.task({ priority, task });
      }
      expect(await contents(network)).toEqual(['high 2', 'high 5', 'normal 1', 'normal 4', 'low 0', 'low 3']);
    },
  ],
  [
    'get_inbox: limit is 10 when omitted',
    async (network) => {
      for (let count = 0; count < 11; count++) await network.task({ task: `task ${count}` });
      expect(await contents(network)).toHaveLength(10);
      expect(await contents(network, { limit: 11 })).toHaveLength(11);
    },
  ],
  [
    'ack_inbox: an acknowledged message is not returned again',
    async (network) => {
      const [first, second] = [await network.task({ task: 'first' }), await network.task({ task: 'second' })];
      expect(await network.tool('ack_inbox', { alias: 'bob', message_id: first, response: 'on it' })).toEqual({
        ok: true,
      });
      expect(await contents(network)).toEqual(['second']);
      expect(second).not.toBe(first);
    },
  ],
  [
    'send_task: priority normal, from hub, ttl 3600 when omitted',
    async (network) => {
      const { message_id } = await network.tool('send_task', { alias: 'bob', task: 'build it' });
      const { task } = await network.tool('get_task', { task_id: message_id });
      expect(task).toMatchObject({ priority: 'normal', from_name: 'hub' });
      expect(lifeOf({ task })).toBe(3_600);
    },
  ],
  [
    'send_task: ttl_seconds of 86400 is kept',
    async (network) => {
      expect(lifeOf(await network.tool('get_task', { task_id: await network.task({ ttl_seconds: 86_400 }) }))).toBe(
        86_400,
      );
    },
  ],
  [
    'send_task, send_message, send_reply: session_status is that of the target',
    async (network) => {
      await network.report('bob', { status: 'waiting_input' });
      expect(await network.tool('send_task', { alias: 'bob', task: 'x' })).toMatchObject({
        session_status: 'waiting_input',
      });
      expect(await network.tool('send_message', { alias: 'bob', message: 'x' })).toMatchObject({
        session_status: 'waiting_input',
      });
      expect(await network.tool('send_reply', { alias: 'bob', text: 'x' })).toMatchObject({
        session_status: 'waiting_input',
      });
    },
  ],
  [
    'send_message: for display only; from hub when omitted',
    async (network) => {
      await network.tool('send_message', { alias: 'bob', message: 'lunch?' });
      expect(listOf(await network.tool('get_inbox', { alias: 'bob' }), 'messages')).toMatchObject([
        { type: 'message', content: 'lunch?', from_session: 'hub', priority: 'normal' },
      ]);
      expect((await network.tool('list_tasks')).count).toBe(0);
    },
  ],
  [
    'send_reply: replied and from hub when omitted, linked to the task',
    async (network) => {
      const task_id = await network.task();
      await network.tool('send_reply', { alias: 'alice', text: 'built', in_reply_to: task_id });
      expect(await network.tool('get_task', { task_id })).toMatchObject({
        task: { status: 'replied', result: 'built' },
      });
      expect(listOf(await network.tool('get_inbox', { alias: 'alice' }), 'messages')).toMatchObject([
        { type: 'reply', in_reply_to: task_id, from_session: 'hub', status: 'replied' },
      ]);
    },
  ],
  [
    'send_ack: does not enter the inbox',
    async (network) => {
      await network.tool('send_ack', { task_id: await network.task(), from_session: 'bob' });
      expect(listOf(await network.tool('get_inbox', { alias: 'alice' }), 'messages')).toEqual([]);
      expect(await contents(network)).toEqual(['build it']);
    },
  ],
  [
    'list_tasks: alias, status, from_name and limit filter; count and stats',
    async (network) => {
      const one = await network.task({ alias: 'bob', from_session: 'alice' });
      const two = await network.task({ alias: 'carol', from_session: 'dave' });
      await network.tool('send_ack', { task_id: two });
      const found = async (args: object) =>
        listOf(await network.tool('list_tasks', args), 'tasks').map(({ task_id }) => task_id);
      expect(await found({})).toEqual([two, one]);
      expect(await found({ alias: 'bob' })).toEqual([one]);
      expect(await found({ status: 'running' })).toEqual([two]);
      expect(await found({ from_name: 'dave' })).toEqual([two]);
      expect(await found({ limit: 1 })).toEqual([two]);
      const { count, stats } = await network.tool('list_tasks', { alias: 'nobody' });
      expect(count).toBe(0);
      expect(stats).toEqual(
        expect.arrayContaining([
          { status: 'delivered', count: 1 },
          { status: 'running', count: 1 },
        ]),
      );
    },
  ],
  [
    'list_tasks: limit is 20 when omitted',
    async (network) => {
      for (let count = 0; count < 21; count++) await network.task({ task: `task ${count}` });
      expect((await network.tool('list_tasks')).count).toBe(20);
      expect((await network.tool('list_tasks', { limit: 100 })).count).toBe(21);
    },
  ],
  [
    'get_all_status: filter_status and filter_server; summary counts all',
    async (network) => {
      await network.report('bob', { server: 's1', status: 'working' });
      await network.report('carol', { server: 's2' });
      const found = async (args: object) =>
        listOf(await network.tool('get_all_status', args), 'sessions')
          .map(({ alias }) => alias)
          .sort();
      expect(await found({})).toEqual(['bob', 'carol']);
      expect(await found({ filter_server: 's1' })).toEqual(['bob']);
      expect(await found({ filter_status: 'idle' })).toEqual(['carol']);
      expect(await found({ filter_status: 'idle', filter_server: 's1' })).toEqual([]);
      const { summary } = await network.tool('get_all_status');
      expect(summary).toEqual(
        expect.arrayContaining([
          { status: 'working', count: 1 },
          { status: 'idle', count: 1 },
        ]),
      );
    },
  ],
  [
    'get_completions: alias filters; limit is 20 when omitted',
    async (network) => {
      for (let count = 0; count < 21; count++)
        await network.tool('report_completion', { alias: 'bob', task: `task ${count}`, result: 'r' });
      await network.tool('report_completion', { alias: 'carol', task: 'hers', result: 'r' });
      expect(listOf(await network.tool('get_completions'), 'completions')).toHaveLength(20);
      expect(listOf(await network.tool('get_completions', { alias: 'carol' }), 'completions')).toMatchObject([
        { task: 'hers' },
      ]);
      expect(listOf(await network.tool('get_completions', { limit: 22 }), 'completions')).toHaveLength(22);
    },
  ],
  [
    'broadcast: to all online agents, restricted to the network',
    async (network) => {
      for (const alias of ['bob', 'carol']) await network.report(alias);
      await network.report('dave', { status: 'offline' });
      expect(
        await network.tool('broadcast', { content: 'all hands', from_session: 'hub', network_id: network.network_id }),
      ).toEqual({ ok: true, delivered_count: 2 });
      for (const [alias, expected] of [
        ['bob', ['all hands']],
        ['carol', ['all hands']],
        ['dave', []],
      ] as const) {
        expect(await contents(network, { alias }), alias).toEqual(expected);
      }
    },
  ],
];

async function contents(network: TestNetwork, args: object = {}): Promise<unknown[]> {
  return listOf(await network.tool('get_inbox', { alias: 'bob', ...args }), 'messages').map(({ content }) => content);
}

/** Seconds from creation to expiry. */
function lifeOf(result: Parameters<typeof objectOf>[0]): number {
  const task = objectOf(result, 'task');
  const moment = (member: string): number => Date.parse(`${textOf(task, member).replace(' ', 'T')}Z`);
  return (moment('expires_at') - moment('created_at')) / 1_000;
}
