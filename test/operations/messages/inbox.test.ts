// The inbox: the order of messages, redelivery until they are acknowledged, and what is never delivered again.
import { describe, expect, test } from 'vitest';
import { MAX_INBOX_BYTES } from '../../../server/domain/limits.ts';
import { encodedBytes } from '../../../server/domain/text/encoded-bytes.ts';
import { ackInbox } from '../../../server/operations/agents/ack-inbox.ts';
import { getInbox } from '../../../server/operations/agents/get-inbox.ts';
import { sendMessage } from '../../../server/operations/messages/send-message.ts';
import { sendReply } from '../../../server/operations/messages/send-reply.ts';
import { cancelTask } from '../../../server/operations/tasks/cancel-task.ts';
import { getTask } from '../../../server/operations/tasks/get-task.ts';
import { reassignTask } from '../../../server/operations/tasks/reassign-task.ts';
import { retryTask } from '../../../server/operations/tasks/retry-task.ts';
import { dump, type Fixture, listenTo, openFixture, outcomeOf, report, rowsOf, send } from '../../support/fixture.ts';

const inbox = async (fixture: Fixture, rest: object = {}) =>
  (await fixture.ask(getInbox, { alias: 'bob', ...rest })).messages;
const contents = async (fixture: Fixture, rest: object = {}) =>
  (await inbox(fixture, rest)).map(({ content }) => content);
const ack = (fixture: Fixture, message_id: string, rest: object = {}) =>
  fixture.ask(ackInbox, { alias: 'bob', message_id, ...rest });

describe('messages come', () => {
  test('by priority, then in order of arrival, even within one millisecond', async () => {
    const fixture = await openFixture();
    for (const [task, priority] of [
      ['a', 'low'],
      ['b', 'normal'],
      ['c', 'high'],
      ['d', 'low'],
      ['e', 'high'],
      ['f', 'normal'],
    ]) {
      await send(fixture, { task, priority });
    }
    await fixture.ask(sendMessage, { alias: 'bob', message: 'g' });
    expect(await contents(fixture)).toEqual(['c', 'e', 'b', 'f', 'g', 'a', 'd']);
  });

  test('in order of arrival when the clock is set back', async () => {
    const fixture = await openFixture();
    await send(fixture, { task: 'first' });
    fixture.hub.clock.advance(-3_600_000);
    await send(fixture, { task: 'second' });
    expect(await contents(fixture)).toEqual(['first', 'second']);
  });

  test('ten at a time, or as many as requested', async () => {
    const fixture = await openFixture();
    for (let index = 0; index < 105; index++) await send(fixture, { task: `task ${index}` });
    expect(await inbox(fixture)).toHaveLength(10);
    expect(await contents(fixture, { limit: 3 })).toEqual(['task 0', 'task 1', 'task 2']);
    expect(await inbox(fixture, { limit: 100 })).toHaveLength(100);
  });

  test('repeatedly until they are acknowledged', async () => {
    const fixture = await openFixture();
    const task_id = await send(fixture);
    const first = await inbox(fixture);
    fixture.hub.clock.advance(600_000);
    expect(await inbox(fixture)).toEqual(first);
    await ack(fixture, task_id);
    expect(await inbox(fixture)).toEqual([]);
  });

  test('to an unknown alias as an empty list', async () => {
    const fixture = await openFixture();
    expect(await fixture.ask(getInbox, { alias: 'nobody' })).toEqual({ ok: true, messages: [] });
  });
});

test('a message shows the fields of the interface, and additions only where they are set', async () => {
  const fixture = await openFixture();
  const { network_id } = fixture.caller;
  const task_id = await send(fixture, { context: 'why' });
  const { message_id } = await fixture.ask(sendMessage, { alias: 'bob', message: 'hello' });
  const common = { priority: 'normal', created_at: '2026-01-15 12:00:00', network_id };
  expect(await inbox(fixture)).toEqual([
    {
      ...common,
      id: task_id,
      type: 'task',
      content: 'build it',
      context: 'why',
      from_session: 'alice',
      task_id,
      attempt: 1,
    },
    { ...common, id: message_id, type: 'message', content: 'hello', context: null, from_session: 'hub' },
  ]);
});

describe('never delivered again', () => {
  test.each<[string, (fixture: Fixture, task_id: string) => Promise<unknown>]>([
    ['a cancelled task', (fixture, task_id) => fixture.ask(cancelTask, { task_id })],
    ['a reassigned task', (fixture, task_id) => fixture.ask(reassignTask, { task_id, new_alias: 'carol' })],
    [
      'a replied task',
      (fixture, task_id) => fixture.ask(sendReply, { alias: 'alice', text: 'x', in_reply_to: task_id }),
    ],
    ['an expired task', async (fixture) => fixture.hub.clock.advance(3_600_000)],
    ['an acknowledged task', (fixture, task_id) => ack(fixture, task_id)],
  ])('%s', async (_, end) => {
    const fixture = await openFixture();
    await end(fixture, await send(fixture));
    expect((await inbox(fixture)).filter(({ type }) => type === 'task')).toEqual([]);
  });

  test('a retried task comes as a new message, and the old one does not return', async () => {
    const fixture = await openFixture();
    const task_id = await send(fixture);
    await fixture.ask(cancelTask, { task_id });
    await fixture.ask(retryTask, { task_id });
    const again = (await inbox(fixture)).filter(({ type }) => type === 'task');
    expect(again).toEqual([expect.objectContaining({ task_id, attempt: 2, content: 'build it' })]);
    expect(again[0]?.id).not.toBe(task_id);
  });
});

describe('an acknowledgement', () => {
  test('keeps its response and first time, and changes nothing when repeated', async () => {
    const fixture = await openFixture();
    const { message_id } = await fixture.ask(sendMessage, { alias: 'bob', message: 'hello' });
    expect(await ack(fixture, message_id, { response: 'seen' })).toEqual({ ok: true });
    const before = await dump(fixture);
    fixture.hub.clock.advance(1_000);
    expect(await ack(fixture, message_id, { response: 'seen again' })).toEqual({ ok: true });
    const after = await dump(fixture);
    expect(after['messages']).toEqual(before['messages']);
    expect(after['inboxes']).toEqual(before['inboxes']);
    expect(await rowsOf(fixture, 'SELECT response FROM messages')).toEqual([{ response: 'seen' }]);
  });

  test('of a task starts it, once', async () => {
    const fixture = await openFixture();
    const task_id = await send(fixture);
    fixture.hub.clock.advance(5_000);
    await ack(fixture, task_id);
    fixture.hub.clock.advance(5_000);
    await ack(fixture, task_id);
    expect((await fixture.ask(getTask, { task_id })).task).toMatchObject({
      status: 'running',
      started_at: '2026-01-15 12:00:05',
      acked_at: '2026-01-15 12:00:05',
    });
  });

  test.each<[string, (fixture: Fixture) => Promise<unknown>]>([
    ['an unknown id', (fixture) => ack(fixture, 'msg_none')],
    [
      'a message of another agent',
      async (fixture) => {
        const { message_id } = await fixture.ask(sendMessage, { alias: 'carol', message: 'hello' });
        return ack(fixture, message_id);
      },
    ],
    ['a task of another agent', async (fixture) => ack(fixture, await send(fixture, { alias: 'carol' }))],
  ])('of %s is rejected and changes nothing', async (_, act) => {
    const fixture = await openFixture();
    await report(fixture, 'bob');
    fixture.hub.clock.advance(60_000);
    const [pending, word] = [
      await rowsOf(fixture, 'SELECT acked_at FROM messages WHERE acked_at IS NOT NULL'),
      await outcomeOf(act(fixture)),
    ];
    expect(word).toBe('message not found or not yours');
    expect(await rowsOf(fixture, 'SELECT acked_at FROM messages WHERE acked_at IS NOT NULL')).toEqual(pending);
    expect((await rowsOf(fixture, 'SELECT last_seen_at FROM sessions'))[0]?.['last_seen_at']).toBe(
      fixture.hub.clock.now() - 60_000,
    );
  });
});

test('with peek, messages are returned and stay unfetched', async () => {
  const fixture = await openFixture();
  const task_id = await send(fixture);
  expect((await fixture.ask(getInbox, { alias: 'bob', peek: true })).messages).toMatchObject([{ id: task_id }]);
  expect((await fixture.ask(getTask, { task_id })).task).not.toHaveProperty('fetched_at');
});

test('fetched_at is the time of the first fetch and does not change', async () => {
  const fixture = await openFixture();
  const task_id = await send(fixture);
  expect((await fixture.ask(getTask, { task_id })).task).not.toHaveProperty('fetched_at');
  fixture.hub.clock.advance(1_000);
  await inbox(fixture);
  fixture.hub.clock.advance(1_000);
  await inbox(fixture);
  expect((await fixture.ask(getTask, { task_id })).task).toMatchObject({ fetched_at: '2026-01-15 12:00:01' });
});

test('the inbox_count of the events increases with pending messages', async () => {
  const fixture = await openFixture();
  const received = listenTo(fixture);
  for (const task of ['a', 'b', 'c']) await send(fixture, { task });
  expect(received.filter(({ name }) => name === 'new_task').map(({ data }) => JSON.parse(data))).toEqual(
    [1, 2, 3].map((inbox_count) =>
      expect.objectContaining({ type: 'new_task', inbox_count, priority: 'normal', from: 'alice' }),
    ),
  );
});

test('an inbox of large messages comes in parts within the budget, the most urgent first', async () => {
  const fixture = await openFixture();
  const text = (name: string) => name.padEnd(10_000, '\u0001');
  await Promise.all(
    Array.from({ length: 99 }, (_, index) => fixture.ask(sendMessage, { alias: 'bob', message: text(`${index} `) })),
  );
  const urgent = await send(fixture, { task: text('urgent '), context: text('why '), priority: 'high' });
  const first = await fixture.ask(getInbox, { alias: 'bob', limit: 100 });
  expect(encodedBytes(first)).toBeLessThan(MAX_INBOX_BYTES + 100);
  expect(first).toMatchObject({
    more: true,
    messages: expect.arrayContaining([expect.objectContaining({ id: urgent })]),
  });
  expect(first.messages[0]?.id).toBe(urgent);
  const seen = first.messages.map(({ id }) => id);
  expect(await rowsOf(fixture, 'SELECT id FROM messages WHERE fetched_at IS NOT NULL')).toHaveLength(seen.length);
  for (let part = first; 'more' in part; seen.push(...part.messages.map(({ id }) => id))) {
    for (const { id } of part.messages) await ack(fixture, id);
    part = await fixture.ask(getInbox, { alias: 'bob', limit: 100 });
  }
  expect(new Set(seen).size).toBe(100);
});
