// Which texts identify a task: its id, a message id of it, or its exact content, each for its own assignee only.
import { describe, expect, test } from 'vitest';
import { getInbox } from '../../../server/operations/agents/get-inbox.ts';
import { reportCompletion } from '../../../server/operations/agents/report-completion.ts';
import { sendMessage } from '../../../server/operations/messages/send-message.ts';
import { sendReply } from '../../../server/operations/messages/send-reply.ts';
import { cancelTask } from '../../../server/operations/tasks/cancel-task.ts';
import { getTask } from '../../../server/operations/tasks/get-task.ts';
import { reassignTask } from '../../../server/operations/tasks/reassign-task.ts';
import { retryTask } from '../../../server/operations/tasks/retry-task.ts';
import { sendAck } from '../../../server/operations/tasks/send-ack.ts';
import { as, dump, type Fixture, openFixture, outcomeOf, report, rowsOf, send } from '../../support/fixture.ts';
import { foundNetwork } from '../../support/test-hub.ts';

const statusOf = async (fixture: Fixture, task_id: string) => (await fixture.ask(getTask, { task_id })).task.status;
const complete = (fixture: Fixture, alias: string, task: string) =>
  fixture.ask(reportCompletion, { alias, task, result: 'done' });

/** A second attempt of a task, whose message has a different id. */
async function sendTwice(fixture: Fixture): Promise<{ task_id: string; message_id: string }> {
  const task_id = await send(fixture);
  await fixture.ask(cancelTask, { task_id });
  await fixture.ask(retryTask, { task_id });
  const [row] = await rowsOf(fixture, 'SELECT id FROM messages WHERE attempt = 2 AND type = ?', 'task');
  return { task_id, message_id: String(row?.['id']) };
}

describe.each([
  ['report_completion', (fixture: Fixture, alias: string, words: string) => complete(fixture, alias, words), 'replied'],
  [
    'report_status working',
    (fixture: Fixture, alias: string, words: string) => report(fixture, alias, { status: 'working', task: words }),
    'running',
  ],
])('%s', (_, say, reached) => {
  test.each<[words: string, alias: string, content: string, isNamed: boolean]>([
    ['its task_id', 'bob', 'TASK_ID', true],
    ['its exact content', 'bob', 'build it', true],
    ['its task_id, by another agent', 'carol', 'TASK_ID', false],
    ['its content, by another agent', 'carol', 'build it', false],
    ['its content in another case', 'bob', 'Build it', false],
    ['its content and a space', 'bob', 'build it ', false],
    ['a part of its content', 'bob', 'build', false],
    ['an unknown id', 'bob', 'task_none', false],
  ])('by %s', async (_words, alias, content, isNamed) => {
    const fixture = await openFixture();
    const task_id = await send(fixture);
    await say(fixture, alias, content.replace('TASK_ID', task_id));
    expect(await statusOf(fixture, task_id)).toBe(isNamed ? reached : 'delivered');
  });

  test('by the message id of the live attempt', async () => {
    const fixture = await openFixture();
    const { task_id, message_id } = await sendTwice(fixture);
    await say(fixture, 'bob', message_id);
    expect(await statusOf(fixture, task_id)).toBe(reached);
  });

  test('by content shared by two live tasks: neither', async () => {
    const fixture = await openFixture();
    const ids = [await send(fixture), await send(fixture)];
    await say(fixture, 'bob', 'build it');
    expect(await Promise.all(ids.map((id) => statusOf(fixture, id)))).toEqual(['delivered', 'delivered']);
  });

  test('by content shared with a settled task: the live one', async () => {
    const fixture = await openFixture();
    const [settled, live] = [await send(fixture), await send(fixture)];
    await fixture.ask(cancelTask, { task_id: settled });
    await say(fixture, 'bob', 'build it');
    expect(await statusOf(fixture, live)).toBe(reached);
    expect(await statusOf(fixture, settled)).toBe('cancelled');
  });

  test('by content shared with an expired task: the live one, even before a sweep', async () => {
    const fixture = await openFixture();
    const [over, live] = [await send(fixture, { ttl_seconds: 60 }), await send(fixture, { ttl_seconds: 600 })];
    fixture.hub.clock.advance(60_000);
    await say(fixture, 'bob', 'build it');
    expect(await statusOf(fixture, live)).toBe(reached);
    expect(await statusOf(fixture, over)).toBe('expired');
  });
});

test('a completion that names a task says so, and the sender gets the result in its inbox', async () => {
  const fixture = await openFixture();
  const task_id = await send(fixture);
  await complete(fixture, 'bob', 'build it');
  expect(await rowsOf(fixture, 'SELECT task_id, result FROM completions')).toEqual([{ task_id, result: 'done' }]);
  const { messages } = await fixture.ask(getInbox, { alias: 'alice' });
  expect(messages).toEqual([
    expect.objectContaining({
      type: 'reply',
      content: 'done',
      from_session: 'bob',
      in_reply_to: task_id,
      status: 'replied',
    }),
  ]);
});

describe('every tool that takes a task_id also accepts a message id of the task', () => {
  test.each<[string, (fixture: Fixture, id: string) => Promise<unknown>, string]>([
    ['get_task', (fixture, id) => fixture.ask(getTask, { task_id: id }), 'delivered'],
    ['send_ack', (fixture, id) => fixture.ask(sendAck, { task_id: id }), 'running'],
    ['cancel_task', (fixture, id) => fixture.ask(cancelTask, { task_id: id }), 'cancelled'],
    ['reassign_task', (fixture, id) => fixture.ask(reassignTask, { task_id: id, new_alias: 'carol' }), 'delivered'],
    ['send_reply', (fixture, id) => fixture.ask(sendReply, { alias: 'alice', text: 'x', in_reply_to: id }), 'replied'],
  ])('%s, and returns the task_id', async (name, act, reached) => {
    const fixture = await openFixture();
    const { task_id, message_id } = await sendTwice(fixture);
    const response = await act(fixture, message_id);
    if (name !== 'send_reply' && name !== 'get_task') expect(response).toMatchObject({ ok: true, task_id });
    expect(await statusOf(fixture, task_id)).toBe(reached);
  });
});

const NAMING: [string, (fixture: Fixture, id: string) => Promise<unknown>][] = [
  ['get_task', (fixture, id) => fixture.ask(getTask, { task_id: id })],
  ['send_ack', (fixture, id) => fixture.ask(sendAck, { task_id: id })],
  ['cancel_task', (fixture, id) => fixture.ask(cancelTask, { task_id: id })],
  ['retry_task', (fixture, id) => fixture.ask(retryTask, { task_id: id })],
  ['reassign_task', (fixture, id) => fixture.ask(reassignTask, { task_id: id, new_alias: 'carol' })],
  ['send_reply', (fixture, id) => fixture.ask(sendReply, { alias: 'alice', text: 'x', in_reply_to: id })],
];

describe('task not found, and nothing changes', () => {
  test.each(NAMING)('%s of an unknown id', async (_, act) => {
    const fixture = await openFixture();
    await send(fixture);
    const before = await dump(fixture);
    expect(await outcomeOf(act(fixture, 'task_none'))).toBe('task not found');
    expect(await dump(fixture)).toEqual(before);
  });

  test.each(NAMING)('%s of a task of another network', async (_, act) => {
    const fixture = await openFixture();
    const task_id = await send(fixture);
    const outsider = as(fixture, await foundNetwork(fixture.hub));
    const before = await dump(fixture);
    expect(await outcomeOf(act(outsider, task_id))).toBe('task not found');
    expect(await dump(fixture)).toEqual(before);
  });

  test.each(NAMING.filter(([name]) => name !== 'send_reply'))('%s of a message without a task', async (_, act) => {
    const fixture = await openFixture();
    const { message_id } = await fixture.ask(sendMessage, { alias: 'bob', message: 'hello' });
    expect(await outcomeOf(act(fixture, message_id))).toBe('task not found');
  });
});
