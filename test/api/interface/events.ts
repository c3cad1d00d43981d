// Events: what triggers each one and what its data contains, with the additions of SPECIFICATION.md §9.
import { expect } from 'vitest';
import { type EventReader, openEvents } from '../../support/http/event-reader.ts';
import { objectOf, textOf } from '../../support/json.ts';
import type { TestNetwork } from './fixture.ts';
import type { Row } from './row-tests.ts';
import { withShortTimeouts } from './short-timeouts.ts';

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;

/** The agent events: the action, and the complete data that bob receives. */
const TRIGGERS: readonly [event: string, statement: string, act: (network: TestNetwork) => Promise<object>][] = [
  [
    'new_task',
    'a task is sent',
    async (network) => {
      const task_id = await network.task({ priority: 'high' });
      return { inbox_count: 1, priority: 'high', from: 'alice', task_id, message_id: task_id };
    },
  ],
  [
    'new_task',
    'a task is retried',
    async (network) => {
      const task_id = await network.task({ alias: 'bob' });
      await network.tool('cancel_task', { task_id });
      await network.tool('ack_inbox', { alias: 'bob', message_id: await firstMessage(network) });
      await network.tool('retry_task', { task_id });
      return { inbox_count: 1, priority: 'normal', from: 'alice', task_id, message_id: await firstMessage(network) };
    },
  ],
  [
    'new_task',
    'a task is reassigned to it',
    async (network) => {
      const task_id = await network.task({ alias: 'carol' });
      await network.tool('reassign_task', { task_id, new_alias: 'bob' });
      return { inbox_count: 1, priority: 'normal', from: 'alice', task_id, message_id: await firstMessage(network) };
    },
  ],
  [
    'new_message',
    'a message is sent',
    async (network) => {
      const { message_id } = await network.tool('send_message', {
        alias: 'bob',
        message: 'lunch?',
        from_session: 'alice',
      });
      return { message: 'lunch?', from: 'alice', message_id };
    },
  ],
  [
    'new_message',
    'a task of it is cancelled',
    async (network) => {
      const task_id = await network.task();
      await network.tool('cancel_task', { task_id, reason: 'no need', from_session: 'alice' });
      return { message: 'no need', from: 'alice', message_id: await firstMessage(network), task_id };
    },
  ],
  [
    'new_reply',
    'a reply is sent',
    async (network) => {
      const task_id = await network.task({ alias: 'carol', from_session: 'bob' });
      const { message_id } = await network.tool('send_reply', {
        alias: 'bob',
        text: 'no',
        in_reply_to: task_id,
        status: 'failed',
        from_session: 'carol',
      });
      return { from: 'carol', message_id, in_reply_to: task_id, status: 'failed' };
    },
  ],
  [
    'broadcast',
    'a broadcast is sent',
    async (network) => {
      await network.report('bob');
      await network.tool('broadcast', { content: 'all hands', from_session: 'alice' });
      return { content: 'all hands', from: 'alice', message_id: await firstMessage(network) };
    },
  ],
];

export const EVENT_ROWS: readonly Row[] = [
  ...TRIGGERS.map(
    ([event, statement, act]): Row => [
      `${event}: ${statement}`,
      async (network) => {
        const events = await listen(network, '/events/bob');
        const data = { type: event, ...(await act(network)) };
        const { data: received, id } = await events.next(
          event,
          'message_id' in data ? { message_id: data.message_id } : {},
        );
        expect(received).toEqual(data);
        expect(id).toMatch(/^\S+$/);
        await events.close();
      },
    ],
  ),
  [
    'heartbeat: at once, with an ISO 8601 time, without an id',
    async (network) => {
      const events = await listen(network, '/events/bob');
      const { data, id } = await events.next('heartbeat');
      expect(data).toEqual({ type: 'heartbeat', time: expect.stringMatching(ISO) });
      expect(id).toBeUndefined();
      await events.close();
    },
  ],
  [
    'heartbeat: again every heartbeat_seconds',
    async ({ fixture }) => {
      const network = await withShortTimeouts(fixture);
      const events = await listen(network, '/events/bob');
      for (let count = 0; count < 3; count++) await events.next('heartbeat');
      await events.close();
    },
  ],
  [
    '§4 notified_at: pushed on a live stream of the agent',
    async (network) => {
      const silent = await network.task({ alias: 'carol' });
      const events = await listen(network, '/events/bob');
      const task_id = await network.task();
      await events.next('new_task', { task_id });
      const notified = async (id: string) =>
        objectOf(await network.tool('get_task', { task_id: id }), 'task').notified_at;
      await expect.poll(() => notified(task_id)).toEqual(expect.any(String));
      expect(await notified(silent)).toBeUndefined();
      await events.close();
    },
  ],
  [
    '§9 the stream opens with retry, a heartbeat and the current position',
    async (network) => {
      const response = await fetch(`${network.fixture.hub.url}/events/bob`, {
        headers: { Authorization: `Bearer ${network.token}` },
      });
      const [first] = await firstBytes(response);
      expect(first).toMatch(/^retry: \d+\n\nevent: heartbeat\ndata: \{.*\}\n\nid: \S+\n\n/);
    },
  ],
  [
    '§9 Last-Event-ID, in header or query, replays missed events in order, then live events follow',
    async (network) => {
      const events = await listen(network, '/events/bob');
      await events.next('heartbeat');
      await expect.poll(events.lastEventId).toBeDefined();
      await events.close();
      const lastEventId = events.lastEventId() ?? '';
      const missed = [await network.task({ task: 'one' }), await network.task({ task: 'two' })];
      for (const resumed of [
        await listen(network, '/events/bob', lastEventId),
        await listen(network, `/events/bob?last_event_id=${lastEventId}`),
      ]) {
        for (const task_id of missed) await resumed.next('new_task', { task_id });
        await resumed.next('new_task', { task_id: await network.task({ task: `live ${lives++}` }) });
        const names = resumed
          .arrived()
          .filter(({ name }) => name === 'new_task')
          .map(({ data }) => data.task_id);
        expect(names.slice(0, 2)).toEqual(missed);
        expect(new Set(names).size).toBe(names.length);
        await resumed.close();
      }
    },
  ],
  [
    '§9 an unknown Last-Event-ID: resync with reason and id, never an error',
    async (network) => {
      const events = await listen(network, '/events/bob', 'nonsense');
      const { data, id } = await events.next('resync');
      expect(data).toEqual({ type: 'resync', reason: expect.any(String), id });
      await events.close();
    },
  ],
  [
    '§9 GET /events carries all events of the network, with addressees, and every change of sessions and tasks',
    async (network) => {
      const events = await listen(network, '/events');
      await network.report('bob');
      const task_id = await network.task();
      await network.tool('broadcast', { content: 'all hands' });
      expect((await events.next('session', { alias: 'bob' })).data).toMatchObject({
        type: 'session',
        status: 'idle',
        inbox_count: 0,
      });
      expect((await events.next('task', { task_id })).data).toMatchObject({
        type: 'task',
        status: 'delivered',
        to_name: 'bob',
      });
      expect((await events.next('new_task', { task_id })).data).toMatchObject({ alias: 'bob', from: 'alice' });
      expect((await events.next('broadcast')).data).toMatchObject({ alias: 'bob', content: 'all hands' });
      await events.close();
    },
  ],
  [
    '§9 a stream carries nothing of other aliases',
    async (network) => {
      const events = await listen(network, '/events/bob');
      await network.task({ alias: 'carol' });
      await network.task();
      await events.next('new_task');
      expect(events.arrived().map(({ name }) => name)).toEqual(['heartbeat', 'new_task']);
      await events.close();
    },
  ],
  [
    '§9 several streams of one alias each get everything',
    async (network) => {
      const streams = [await listen(network, '/events/bob'), await listen(network, '/events/bob')];
      const task_id = await network.task();
      for (const events of streams) {
        await events.next('new_task', { task_id });
        await events.close();
      }
    },
  ],
];

let lives = 0;

function listen({ fixture, token }: TestNetwork, path: string, lastEventId?: string): Promise<EventReader> {
  return openEvents(`${fixture.hub.url}${path}`, token, lastEventId === undefined ? {} : { lastEventId });
}

async function firstMessage(network: TestNetwork): Promise<string> {
  const { body } = await network.ask('GET', '/api/messages?alias=bob&limit=1');
  const [message] = Array.isArray(body.messages) ? body.messages : [];
  return textOf(message, 'id');
}

async function firstBytes({ body }: Response): Promise<[string]> {
  const reader = (body ?? new ReadableStream()).getReader();
  const decoder = new TextDecoder();
  let text = '';
  while (!/\nid: /.test(text)) text += decoder.decode((await reader.read()).value, { stream: true });
  await reader.cancel();
  return [text];
}
