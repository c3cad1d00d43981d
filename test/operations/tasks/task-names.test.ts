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
import { as, dump, openScene, report, rowsOf, type Scene, send, wordOf } from '../../support/scene.ts';
import { foundNetwork } from '../../support/test-hub.ts';

const statusOf = async (scene: Scene, task_id: string) => (await scene.ask(getTask, { task_id })).task.status;
const complete = (scene: Scene, alias: string, task: string) =>
  scene.ask(reportCompletion, { alias, task, result: 'done' });

/** A second attempt of a task, whose message has a different id. */
async function sendTwice(scene: Scene): Promise<{ task_id: string; message_id: string }> {
  const task_id = await send(scene);
  await scene.ask(cancelTask, { task_id });
  await scene.ask(retryTask, { task_id });
  const [row] = await rowsOf(scene, 'SELECT id FROM messages WHERE attempt = 2 AND type = ?', 'task');
  return { task_id, message_id: String(row?.['id']) };
}

describe.each([
  ['report_completion', (scene: Scene, alias: string, words: string) => complete(scene, alias, words), 'replied'],
  [
    'report_status working',
    (scene: Scene, alias: string, words: string) => report(scene, alias, { status: 'working', task: words }),
    'running',
  ],
])('%s', (_, say, reached) => {
  test.each<[words: string, alias: string, content: string, isNamed: boolean]>([
    ['its task_id', 'bob', 'TASK_ID', true],
    ['its exact content', 'bob', 'build it', true],
    ['its task_id, by somebody else', 'carol', 'TASK_ID', false],
    ['its content, by somebody else', 'carol', 'build it', false],
    ['its content in other letters', 'bob', 'Build it', false],
    ['its content and a blank', 'bob', 'build it ', false],
    ['a part of its content', 'bob', 'build', false],
    ['an id there is not', 'bob', 'task_none', false],
  ])('by %s', async (_words, alias, content, isNamed) => {
    const scene = await openScene();
    const task_id = await send(scene);
    await say(scene, alias, content.replace('TASK_ID', task_id));
    expect(await statusOf(scene, task_id)).toBe(isNamed ? reached : 'delivered');
  });

  test('by the message id of the live attempt', async () => {
    const scene = await openScene();
    const { task_id, message_id } = await sendTwice(scene);
    await say(scene, 'bob', message_id);
    expect(await statusOf(scene, task_id)).toBe(reached);
  });

  test('by content shared by two live tasks: neither', async () => {
    const scene = await openScene();
    const ids = [await send(scene), await send(scene)];
    await say(scene, 'bob', 'build it');
    expect(await Promise.all(ids.map((id) => statusOf(scene, id)))).toEqual(['delivered', 'delivered']);
  });

  test('by content shared with a settled task: the live one', async () => {
    const scene = await openScene();
    const [settled, live] = [await send(scene), await send(scene)];
    await scene.ask(cancelTask, { task_id: settled });
    await say(scene, 'bob', 'build it');
    expect(await statusOf(scene, live)).toBe(reached);
    expect(await statusOf(scene, settled)).toBe('cancelled');
  });

  test('by content shared with an expired task: the live one, even before a sweep', async () => {
    const scene = await openScene();
    const [over, live] = [await send(scene, { ttl_seconds: 60 }), await send(scene, { ttl_seconds: 600 })];
    scene.hub.clock.advance(60_000);
    await say(scene, 'bob', 'build it');
    expect(await statusOf(scene, live)).toBe(reached);
    expect(await statusOf(scene, over)).toBe('expired');
  });
});

test('a completion that names a task says so, and the sender gets the result in its inbox', async () => {
  const scene = await openScene();
  const task_id = await send(scene);
  await complete(scene, 'bob', 'build it');
  expect(await rowsOf(scene, 'SELECT task_id, result FROM completions')).toEqual([{ task_id, result: 'done' }]);
  const { messages } = await scene.ask(getInbox, { alias: 'alice' });
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
  test.each<[string, (scene: Scene, id: string) => Promise<unknown>, string]>([
    ['get_task', (scene, id) => scene.ask(getTask, { task_id: id }), 'delivered'],
    ['send_ack', (scene, id) => scene.ask(sendAck, { task_id: id }), 'running'],
    ['cancel_task', (scene, id) => scene.ask(cancelTask, { task_id: id }), 'cancelled'],
    ['reassign_task', (scene, id) => scene.ask(reassignTask, { task_id: id, new_alias: 'carol' }), 'delivered'],
    ['send_reply', (scene, id) => scene.ask(sendReply, { alias: 'alice', text: 'x', in_reply_to: id }), 'replied'],
  ])('%s, and returns the task_id', async (name, act, reached) => {
    const scene = await openScene();
    const { task_id, message_id } = await sendTwice(scene);
    const answer = await act(scene, message_id);
    if (name !== 'send_reply' && name !== 'get_task') expect(answer).toMatchObject({ ok: true, task_id });
    expect(await statusOf(scene, task_id)).toBe(reached);
  });
});

const NAMING: [string, (scene: Scene, id: string) => Promise<unknown>][] = [
  ['get_task', (scene, id) => scene.ask(getTask, { task_id: id })],
  ['send_ack', (scene, id) => scene.ask(sendAck, { task_id: id })],
  ['cancel_task', (scene, id) => scene.ask(cancelTask, { task_id: id })],
  ['retry_task', (scene, id) => scene.ask(retryTask, { task_id: id })],
  ['reassign_task', (scene, id) => scene.ask(reassignTask, { task_id: id, new_alias: 'carol' })],
  ['send_reply', (scene, id) => scene.ask(sendReply, { alias: 'alice', text: 'x', in_reply_to: id })],
];

describe('task not found, and nothing changes', () => {
  test.each(NAMING)('%s of an unknown id', async (_, act) => {
    const scene = await openScene();
    await send(scene);
    const before = await dump(scene);
    expect(await wordOf(act(scene, 'task_none'))).toBe('task not found');
    expect(await dump(scene)).toEqual(before);
  });

  test.each(NAMING)('%s of a task of another network', async (_, act) => {
    const scene = await openScene();
    const task_id = await send(scene);
    const stranger = as(scene, await foundNetwork(scene.hub));
    const before = await dump(scene);
    expect(await wordOf(act(stranger, task_id))).toBe('task not found');
    expect(await dump(scene)).toEqual(before);
  });

  test.each(NAMING.filter(([name]) => name !== 'send_reply'))('%s of a message that is no task', async (_, act) => {
    const scene = await openScene();
    const { message_id } = await scene.ask(sendMessage, { alias: 'bob', message: 'hello' });
    expect(await wordOf(act(scene, message_id))).toBe('task not found');
  });
});
