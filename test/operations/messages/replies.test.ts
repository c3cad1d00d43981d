// Replies and the other task operations: their results, their links, and what the sender receives.
import { describe, expect, test } from 'vitest';
import { getInbox } from '../../../server/operations/agents/get-inbox.ts';
import { sendMessage } from '../../../server/operations/messages/send-message.ts';
import { sendReply } from '../../../server/operations/messages/send-reply.ts';
import { cancelTask } from '../../../server/operations/tasks/cancel-task.ts';
import { getTask } from '../../../server/operations/tasks/get-task.ts';
import { listTasks } from '../../../server/operations/tasks/list-tasks.ts';
import { reassignTask } from '../../../server/operations/tasks/reassign-task.ts';
import { retryTask } from '../../../server/operations/tasks/retry-task.ts';
import { sendAck } from '../../../server/operations/tasks/send-ack.ts';
import { sendTask } from '../../../server/operations/tasks/send-task.ts';
import { dump, type Fixture, listenTo, openFixture, report, rowsOf, send } from '../../support/fixture.ts';

const inboxOf = async (fixture: Fixture, alias: string) => (await fixture.ask(getInbox, { alias })).messages;

test('a reply without in_reply_to links to nothing and settles nothing', async () => {
  const fixture = await openFixture();
  const task_id = await send(fixture);
  const received = listenTo(fixture);
  const { message_id } = await fixture.ask(sendReply, { alias: 'alice', text: 'by the way', from_session: 'bob' });
  expect((await fixture.ask(getTask, { task_id })).task.status).toBe('delivered');
  const [message] = await inboxOf(fixture, 'alice');
  expect(message).toMatchObject({ id: message_id, type: 'reply', content: 'by the way', priority: 'normal' });
  expect(message).not.toHaveProperty('in_reply_to');
  expect(message).not.toHaveProperty('task_id');
  expect(received.map(({ name, data }) => [name, JSON.parse(data)])).toEqual([
    ['new_reply', { type: 'new_reply', from: 'bob', message_id, in_reply_to: null, status: 'replied' }],
  ]);
});

test('a reply to a plain message only links to it', async () => {
  const fixture = await openFixture();
  const { message_id } = await fixture.ask(sendMessage, {
    alias: 'bob',
    message: 'how are you?',
    from_session: 'alice',
  });
  await fixture.ask(sendReply, { alias: 'alice', text: 'fine', in_reply_to: message_id, from_session: 'bob' });
  expect(await inboxOf(fixture, 'alice')).toEqual([
    expect.objectContaining({ type: 'reply', content: 'fine', in_reply_to: message_id }),
  ]);
  expect(await inboxOf(fixture, 'bob')).toHaveLength(1); // replying is not acknowledging
});

test.each(['replied', 'failed', 'cancelled'])(
  'a reply with status %s settles its task, in the inbox and on the stream',
  async (status) => {
    const fixture = await openFixture();
    const task_id = await send(fixture);
    const events = listenTo(fixture);
    const { message_id } = await fixture.ask(sendReply, {
      alias: 'alice',
      text: 'the answer',
      in_reply_to: task_id,
      status,
      from_session: 'bob',
    });
    expect(await inboxOf(fixture, 'alice')).toEqual([
      expect.objectContaining({
        id: message_id,
        type: 'reply',
        content: 'the answer',
        in_reply_to: task_id,
        task_id,
        attempt: 1,
        status,
      }),
    ]);
    const reply = events.find(({ name }) => name === 'new_reply');
    expect(reply?.alias).toBe('alice');
    expect(JSON.parse(reply?.data ?? '')).toEqual({
      type: 'new_reply',
      from: 'bob',
      message_id,
      in_reply_to: task_id,
      status,
    });
  },
);

test('a reply goes to the alias it names, regardless of who sent the task', async () => {
  const fixture = await openFixture();
  const task_id = await send(fixture);
  await fixture.ask(sendReply, { alias: 'carol', text: 'for you', in_reply_to: task_id, from_session: 'bob' });
  expect(await inboxOf(fixture, 'carol')).toHaveLength(1);
  expect(await inboxOf(fixture, 'alice')).toEqual([]);
});

test('send_ack reports whether it changed the task, and leaves the inbox message pending', async () => {
  const fixture = await openFixture();
  const task_id = await send(fixture);
  expect(await fixture.ask(sendAck, { task_id, from_session: 'bob' })).toEqual({ ok: true, task_id, updated: 1 });
  const before = await dump(fixture);
  expect(await fixture.ask(sendAck, { task_id, from_session: 'bob' })).toEqual({ ok: true, task_id, updated: 0 });
  expect(await dump(fixture)).toEqual(before);
  expect((await inboxOf(fixture, 'bob')).map(({ id }) => id)).toEqual([task_id]);
});

test('cancel, reassign and retry report what they did', async () => {
  const fixture = await openFixture();
  const task_id = await send(fixture);
  expect(await fixture.ask(reassignTask, { task_id, new_alias: 'carol' })).toEqual({
    ok: true,
    task_id,
    reassigned_from: 'bob',
    reassigned_to: 'carol',
  });
  expect(await fixture.ask(cancelTask, { task_id })).toEqual({ ok: true, task_id, cancelled: true });
  expect(await fixture.ask(retryTask, { task_id })).toEqual({ ok: true, task_id, retried_to: 'carol' });
});

test('the message of type cancel names the task and its reason', async () => {
  const fixture = await openFixture();
  const task_id = await send(fixture);
  await fixture.ask(cancelTask, { task_id, reason: 'no longer needed', from_session: 'alice' });
  expect(await inboxOf(fixture, 'bob')).toEqual([
    expect.objectContaining({
      type: 'cancel',
      content: 'no longer needed',
      from_session: 'alice',
      task_id,
      attempt: 1,
      priority: 'normal',
    }),
  ]);
});

test('a reassigned task keeps its expiry, and a retried one gets its full ttl again', async () => {
  const fixture = await openFixture();
  const task_id = await send(fixture, { ttl_seconds: 120 });
  const { expires_at } = (await fixture.ask(getTask, { task_id })).task;
  fixture.hub.clock.advance(60_000);
  await fixture.ask(reassignTask, { task_id, new_alias: 'carol' });
  expect((await fixture.ask(getTask, { task_id })).task).toMatchObject({
    expires_at,
    delivered_at: '2026-01-15 12:01:00',
  });
  await fixture.ask(cancelTask, { task_id });
  await fixture.ask(retryTask, { task_id });
  expect((await fixture.ask(getTask, { task_id })).task).toMatchObject({
    expires_at: '2026-01-15 12:03:00',
    created_at: '2026-01-15 12:00:00',
  });
});

test('a task shows the fields of the interface, with empty ones null, and additions only where they are set', async () => {
  const fixture = await openFixture();
  const task_id = await send(fixture);
  expect((await fixture.ask(getTask, { task_id })).task).toEqual({
    task_id,
    from_name: 'alice',
    to_name: 'bob',
    priority: 'normal',
    status: 'delivered',
    content: 'build it',
    result: null,
    created_at: '2026-01-15 12:00:00',
    delivered_at: '2026-01-15 12:00:00',
    started_at: null,
    completed_at: null,
    expires_at: '2026-01-15 13:00:00',
    network_id: fixture.caller.network_id,
    attempt: 1,
  });
});

describe('the sender learns the state of the recipient', () => {
  test.each([
    ['working', { status: 'working' }, 0, 'working', undefined],
    ['self-reported offline', { status: 'offline' }, 0, 'offline', 'bob is offline, last seen 0 s ago'],
    ['silent for 600 s', { status: 'blocked' }, 600_000, 'blocked', undefined],
    [
      'silent for one millisecond more',
      { status: 'blocked' },
      600_001,
      'offline',
      'bob is offline, last seen 10 min ago',
    ],
  ])('%s', async (_, rest, silence, session_status, warning) => {
    const fixture = await openFixture();
    await report(fixture, 'bob', rest);
    fixture.hub.clock.advance(silence);
    for (const receipt of [
      await fixture.ask(sendTask, { alias: 'bob', task: 'x' }),
      await fixture.ask(sendMessage, { alias: 'bob', message: 'x' }),
      await fixture.ask(sendReply, { alias: 'bob', text: 'x' }),
    ]) {
      expect(receipt).toMatchObject({ ok: true, session_status });
      expect('warning' in receipt ? receipt.warning : undefined).toEqual(warning && expect.stringContaining(warning));
    }
  });
});

test('the counts per status add up, whatever the filters', async () => {
  const fixture = await openFixture();
  const ids = [];
  for (let index = 0; index < 6; index++)
    ids.push(await send(fixture, { task: `task ${index}`, alias: index % 2 === 0 ? 'bob' : 'carol' }));
  await fixture.ask(sendAck, { task_id: ids[0] });
  await fixture.ask(cancelTask, { task_id: ids[1] });
  await fixture.ask(sendReply, { alias: 'alice', text: 'x', in_reply_to: ids[2] });
  const stats = [
    { status: 'cancelled', count: 1 },
    { status: 'delivered', count: 3 },
    { status: 'replied', count: 1 },
    { status: 'running', count: 1 },
  ];
  for (const filter of [{}, { alias: 'bob' }, { status: 'failed' }, { limit: 1 }]) {
    expect(await fixture.ask(listTasks, filter)).toMatchObject({ stats });
  }
  const { tasks, count } = await fixture.ask(listTasks, { alias: 'carol' });
  expect([count, tasks.map(({ task_id }) => task_id)]).toEqual([3, [ids[5], ids[3], ids[1]]]);
  expect(await rowsOf(fixture, 'SELECT count(*) AS count FROM tasks')).toEqual([{ count: 6 }]);
});
