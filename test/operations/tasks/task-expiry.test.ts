// When tasks expire: at the exact millisecond for every reader and every guard, without a sweep.
import { describe, expect, test } from 'vitest';
import { ackInbox } from '../../../server/operations/agents/ack-inbox.ts';
import { getInbox } from '../../../server/operations/agents/get-inbox.ts';
import { reportCompletion } from '../../../server/operations/agents/report-completion.ts';
import { sendReply } from '../../../server/operations/messages/send-reply.ts';
import { listSessions } from '../../../server/operations/sessions/get-all-status.ts';
import { cancelTask } from '../../../server/operations/tasks/cancel-task.ts';
import { getTask } from '../../../server/operations/tasks/get-task.ts';
import { listTasks } from '../../../server/operations/tasks/list-tasks.ts';
import { reassignTask } from '../../../server/operations/tasks/reassign-task.ts';
import { retryTask } from '../../../server/operations/tasks/retry-task.ts';
import { sendAck } from '../../../server/operations/tasks/send-ack.ts';
import { sendTask } from '../../../server/operations/tasks/send-task.ts';
import { waitTask } from '../../../server/operations/tasks/wait-task.ts';
import { NOON } from '../../support/hand-clock.ts';
import { listenTo, openScene, report, rowsOf, type Scene, send, wordOf } from '../../support/scene.ts';

const TTL_SECONDS = 60;
const DUE = NOON + TTL_SECONDS * 1_000;
const SILENT = NOON + 600_001; // the first millisecond at which an agent last seen at noon is offline

type Task = Scene & { task_id: string };

async function openTask(): Promise<Task> {
  const scene = await openScene();
  return { ...scene, task_id: await send(scene, { ttl_seconds: TTL_SECONDS }) };
}

/** bob runs the task. He reported `rest` at noon, or never. */
async function openRunning(rest?: object): Promise<Task> {
  const scene = await openTask();
  if (rest !== undefined) await report(scene, 'bob', rest);
  await scene.ask(sendAck, { task_id: scene.task_id, from_session: 'bob' });
  return scene;
}

const statusOf = async ({ ask, task_id }: Task) => (await ask(getTask, { task_id })).task.status;

describe('a delivered task', () => {
  test('is delivered until the last millisecond and expired at expires_at', async () => {
    const scene = await openTask();
    scene.hub.clock.set(DUE - 1);
    expect(await statusOf(scene)).toBe('delivered');
    scene.hub.clock.set(DUE);
    expect(await statusOf(scene)).toBe('expired');
  });

  const alone = (scene: Task) => rowsOf(scene, 'SELECT status FROM tasks');

  test.each<[reader: string, see: (scene: Task) => Promise<unknown>, seen: unknown]>([
    ['get_task', async ({ ask, task_id }) => (await ask(getTask, { task_id })).task.status, 'expired'],
    ['list_tasks', async ({ ask }) => (await ask(listTasks, {})).tasks.map(({ status }) => status), ['expired']],
    ['list_tasks by status', async ({ ask }) => (await ask(listTasks, { status: 'delivered' })).count, 0],
    [
      'the counts of list_tasks',
      async ({ ask }) => (await ask(listTasks, {})).stats,
      [{ status: 'expired', count: 1 }],
    ],
    ['get_inbox', async ({ ask }) => (await ask(getInbox, { alias: 'bob' })).messages, []],
    ['the inbox_count of report_status', async (scene) => (await report(scene, 'bob')).inbox_count, 0],
  ])('%s sees it expired, without a sweep or another read', async (_, see, seen) => {
    const scene = await openTask();
    scene.hub.clock.set(DUE);
    expect(await alone(scene)).toMatchObject([{ status: 'delivered' }]); // not yet written
    expect(await see(scene)).toEqual(seen);
  });

  test('the inbox_count of a session excludes expired tasks', async () => {
    const scene = await openTask();
    scene.hub.clock.set(DUE - 1_000);
    await report(scene, 'bob');
    scene.hub.clock.set(DUE);
    expect((await scene.ask(listSessions, {})).sessions).toMatchObject([{ alias: 'bob', inbox_count: 0 }]);
  });

  test('the inbox_count of the next new_task excludes expired tasks', async () => {
    const scene = await openTask();
    scene.hub.clock.set(DUE);
    const heard = listenTo(scene);
    await scene.ask(sendTask, { alias: 'bob', task: 'another' });
    expect(heard.filter(({ name }) => name === 'new_task').map(({ data }) => JSON.parse(data).inbox_count)).toEqual([
      1,
    ]);
  });

  test.each<[guard: string, act: (scene: Task) => Promise<unknown>, word: string, after: string]>([
    ['send_ack', ({ ask, task_id }) => ask(sendAck, { task_id }), 'task is terminal', 'expired'],
    [
      'send_reply',
      ({ ask, task_id }) => ask(sendReply, { alias: 'alice', text: 'x', in_reply_to: task_id }),
      'task is terminal',
      'expired',
    ],
    ['cancel_task', ({ ask, task_id }) => ask(cancelTask, { task_id }), 'task is terminal', 'expired'],
    [
      'reassign_task',
      ({ ask, task_id }) => ask(reassignTask, { task_id, new_alias: 'carol' }),
      'task is terminal',
      'expired',
    ],
    ['retry_task', ({ ask, task_id }) => ask(retryTask, { task_id }), 'ok', 'delivered'],
    ['ack_inbox', ({ ask, task_id }) => ask(ackInbox, { alias: 'bob', message_id: task_id }), 'ok', 'expired'],
    ['report_status', (scene) => report(scene, 'bob', { status: 'working', task: scene.task_id }), 'ok', 'expired'],
    [
      'report_completion',
      ({ ask, task_id }) => ask(reportCompletion, { alias: 'bob', task: task_id, result: 'x' }),
      'ok',
      'expired',
    ],
  ])('%s treats it as expired', async (_, act, word, after) => {
    const scene = await openTask();
    scene.hub.clock.set(DUE);
    expect(await wordOf(act(scene))).toBe(word);
    expect(await statusOf(scene)).toBe(after);
    expect(await rowsOf(scene, "SELECT count(*) AS count FROM task_events WHERE to_status = 'expired'")).toEqual([
      { count: 1 },
    ]);
    expect(await rowsOf(scene, "SELECT count(*) AS count FROM messages WHERE type = 'reply'")).toEqual([{ count: 0 }]);
  });
});

describe('a running task', () => {
  test('does not expire while its assignee sends heartbeats', async () => {
    const scene = await openRunning({});
    for (let minute = 1; minute <= 30; minute++) {
      scene.hub.clock.advance(60_000);
      await report(scene, 'bob');
      expect(await statusOf(scene)).toBe('running');
    }
  });

  test.each([
    ['whose assignee never reported', undefined, DUE],
    ['whose assignee said it is offline', { status: 'offline' }, DUE],
    ['whose assignee fell silent', { status: 'working' }, SILENT],
  ])('%s expires at the exact millisecond', async (_, rest, due) => {
    const scene = await openRunning(rest);
    scene.hub.clock.set(due - 1);
    expect(await statusOf(scene)).toBe('running');
    scene.hub.clock.set(due);
    expect(await statusOf(scene)).toBe('expired');
  });

  test('past its expiry keeps it when reassigned, and the result says so', async () => {
    const scene = await openRunning({ status: 'working' });
    scene.hub.clock.set(DUE - 1);
    expect(await scene.ask(reassignTask, { task_id: scene.task_id, new_alias: 'bob' })).not.toHaveProperty('warning');
    await scene.ask(sendAck, { task_id: scene.task_id });
    scene.hub.clock.set(DUE);
    expect(await scene.ask(reassignTask, { task_id: scene.task_id, new_alias: 'carol' })).toMatchObject({
      ok: true,
      warning: expect.stringContaining('retry_task'),
    });
    expect(await statusOf(scene)).toBe('expired');
  });

  test('of a silent assignee stays live until its expiry', async () => {
    const scene = await openScene();
    await report(scene, 'bob');
    const task_id = await send(scene, { ttl_seconds: 3_600 });
    await scene.ask(sendAck, { task_id });
    scene.hub.clock.set(SILENT);
    expect(await statusOf({ ...scene, task_id })).toBe('running');
  });

  test('counts a poll of its assignee as a heartbeat, written or not', async () => {
    const scene = await openRunning({});
    scene.hub.clock.set(NOON + 599_000);
    await scene.ask(getInbox, { alias: 'bob' });
    scene.hub.clock.advance(10_000);
    await scene.ask(getInbox, { alias: 'bob' }); // not written: the previous one is 10 s old
    scene.hub.clock.advance(600_000);
    expect(await statusOf(scene)).toBe('running');
    scene.hub.clock.advance(1);
    expect(await statusOf(scene)).toBe('expired');
  });

  test('stays expired once it was due, even if its assignee reports next', async () => {
    const scene = await openRunning({});
    scene.hub.clock.set(SILENT);
    await report(scene, 'bob', { status: 'working' });
    expect(await statusOf(scene)).toBe('expired');
  });

  test('then rejects a late reply of its assignee', async () => {
    const scene = await openRunning({});
    scene.hub.clock.set(SILENT);
    const late = scene.ask(sendReply, {
      alias: 'alice',
      text: 'at last',
      in_reply_to: scene.task_id,
      from_session: 'bob',
    });
    expect(await wordOf(late)).toBe('task is terminal');
  });
});

test('a wait for a task returns at its expiry, without a sweep', {
  timeout: 10_000,
}, async () => {
  const scene = await openScene();
  const task_id = await send(scene, { ttl_seconds: 60 });
  await scene.ask(sendAck, { task_id });
  scene.hub.clock.advance(59_990);
  let looks = 0;
  const { read } = scene.hub.store;
  scene.hub.store.read = (work) => read(work).finally(() => void (looks += 1));
  const waiting = scene.ask(waitTask, { task_id, timeout_seconds: 300 });
  await expect.poll(() => looks, { interval: 1 }).toBeGreaterThan(4); // the clock stops 10 ms before the expiry
  scene.hub.clock.advance(10);
  expect(await waiting).toMatchObject({ settled: true, task: { status: 'expired' } });
});
