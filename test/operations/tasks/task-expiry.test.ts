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
import { type Fixture, listenTo, openFixture, outcomeOf, report, rowsOf, send } from '../../support/fixture.ts';
import { NOON } from '../../support/manual-clock.ts';

const TTL_SECONDS = 60;
const DUE = NOON + TTL_SECONDS * 1_000;
const SILENT = NOON + 600_001; // the first millisecond at which an agent last seen at noon is offline

type Task = Fixture & { task_id: string };

async function openTask(): Promise<Task> {
  const fixture = await openFixture();
  return { ...fixture, task_id: await send(fixture, { ttl_seconds: TTL_SECONDS }) };
}

/** bob runs the task and reported `rest` at noon, or never. */
async function openRunning(rest?: object): Promise<Task> {
  const fixture = await openTask();
  if (rest !== undefined) await report(fixture, 'bob', rest);
  await fixture.ask(sendAck, { task_id: fixture.task_id, from_session: 'bob' });
  return fixture;
}

const statusOf = async ({ ask, task_id }: Task) => (await ask(getTask, { task_id })).task.status;

describe('a delivered task', () => {
  test('is delivered until the last millisecond and expired at expires_at', async () => {
    const fixture = await openTask();
    fixture.hub.clock.set(DUE - 1);
    expect(await statusOf(fixture)).toBe('delivered');
    fixture.hub.clock.set(DUE);
    expect(await statusOf(fixture)).toBe('expired');
  });

  const alone = (fixture: Task) => rowsOf(fixture, 'SELECT status FROM tasks');

  test.each<[reader: string, see: (fixture: Task) => Promise<unknown>, seen: unknown]>([
    ['get_task', async ({ ask, task_id }) => (await ask(getTask, { task_id })).task.status, 'expired'],
    ['list_tasks', async ({ ask }) => (await ask(listTasks, {})).tasks.map(({ status }) => status), ['expired']],
    ['list_tasks by status', async ({ ask }) => (await ask(listTasks, { status: 'delivered' })).count, 0],
    [
      'the counts of list_tasks',
      async ({ ask }) => (await ask(listTasks, {})).stats,
      [{ status: 'expired', count: 1 }],
    ],
    ['get_inbox', async ({ ask }) => (await ask(getInbox, { alias: 'bob' })).messages, []],
    ['the inbox_count of report_status', async (fixture) => (await report(fixture, 'bob')).inbox_count, 0],
  ])('%s sees it expired, without a sweep or another read', async (_, see, seen) => {
    const fixture = await openTask();
    fixture.hub.clock.set(DUE);
    expect(await alone(fixture)).toMatchObject([{ status: 'delivered' }]); // not yet written
    expect(await see(fixture)).toEqual(seen);
  });

  test('the inbox_count of a session excludes expired tasks', async () => {
    const fixture = await openTask();
    fixture.hub.clock.set(DUE - 1_000);
    await report(fixture, 'bob');
    fixture.hub.clock.set(DUE);
    expect((await fixture.ask(listSessions, {})).sessions).toMatchObject([{ alias: 'bob', inbox_count: 0 }]);
  });

  test('the inbox_count of the next new_task excludes expired tasks', async () => {
    const fixture = await openTask();
    fixture.hub.clock.set(DUE);
    const received = listenTo(fixture);
    await fixture.ask(sendTask, { alias: 'bob', task: 'another' });
    expect(received.filter(({ name }) => name === 'new_task').map(({ data }) => JSON.parse(data).inbox_count)).toEqual([
      1,
    ]);
  });

  test.each<[guard: string, act: (fixture: Task) => Promise<unknown>, word: string, after: string]>([
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
    [
      'report_status',
      (fixture) => report(fixture, 'bob', { status: 'working', task: fixture.task_id }),
      'ok',
      'expired',
    ],
    [
      'report_completion',
      ({ ask, task_id }) => ask(reportCompletion, { alias: 'bob', task: task_id, result: 'x' }),
      'ok',
      'expired',
    ],
  ])('%s treats it as expired', async (_, act, word, after) => {
    const fixture = await openTask();
    fixture.hub.clock.set(DUE);
    expect(await outcomeOf(act(fixture))).toBe(word);
    expect(await statusOf(fixture)).toBe(after);
    expect(await rowsOf(fixture, "SELECT count(*) AS count FROM task_events WHERE to_status = 'expired'")).toEqual([
      { count: 1 },
    ]);
    expect(await rowsOf(fixture, "SELECT count(*) AS count FROM messages WHERE type = 'reply'")).toEqual([
      { count: 0 },
    ]);
  });
});

describe('a running task', () => {
  test('does not expire while its assignee sends heartbeats', async () => {
    const fixture = await openRunning({});
    for (let minute = 1; minute <= 30; minute++) {
      fixture.hub.clock.advance(60_000);
      await report(fixture, 'bob');
      expect(await statusOf(fixture)).toBe('running');
    }
  });

  test.each([
    ['whose assignee never reported', undefined, DUE],
    ['whose assignee reported offline', { status: 'offline' }, DUE],
    ['whose assignee went silent', { status: 'working' }, SILENT],
  ])('%s expires at the exact millisecond', async (_, rest, due) => {
    const fixture = await openRunning(rest);
    fixture.hub.clock.set(due - 1);
    expect(await statusOf(fixture)).toBe('running');
    fixture.hub.clock.set(due);
    expect(await statusOf(fixture)).toBe('expired');
  });

  test('past its expiry keeps it when reassigned, and the result says so', async () => {
    const fixture = await openRunning({ status: 'working' });
    fixture.hub.clock.set(DUE - 1);
    expect(await fixture.ask(reassignTask, { task_id: fixture.task_id, new_alias: 'bob' })).not.toHaveProperty(
      'warning',
    );
    await fixture.ask(sendAck, { task_id: fixture.task_id });
    fixture.hub.clock.set(DUE);
    expect(await fixture.ask(reassignTask, { task_id: fixture.task_id, new_alias: 'carol' })).toMatchObject({
      ok: true,
      warning: expect.stringContaining('retry_task'),
    });
    expect(await statusOf(fixture)).toBe('expired');
  });

  test('of a silent assignee stays live until its expiry', async () => {
    const fixture = await openFixture();
    await report(fixture, 'bob');
    const task_id = await send(fixture, { ttl_seconds: 3_600 });
    await fixture.ask(sendAck, { task_id });
    fixture.hub.clock.set(SILENT);
    expect(await statusOf({ ...fixture, task_id })).toBe('running');
  });

  test('counts a poll of its assignee as a heartbeat, written or not', async () => {
    const fixture = await openRunning({});
    fixture.hub.clock.set(NOON + 599_000);
    await fixture.ask(getInbox, { alias: 'bob' });
    fixture.hub.clock.advance(10_000);
    await fixture.ask(getInbox, { alias: 'bob' }); // not written: the previous one is 10 s old
    fixture.hub.clock.advance(600_000);
    expect(await statusOf(fixture)).toBe('running');
    fixture.hub.clock.advance(1);
    expect(await statusOf(fixture)).toBe('expired');
  });

  test('stays expired once it was due, even if its assignee reports next', async () => {
    const fixture = await openRunning({});
    fixture.hub.clock.set(SILENT);
    await report(fixture, 'bob', { status: 'working' });
    expect(await statusOf(fixture)).toBe('expired');
  });

  test('then rejects a late reply of its assignee', async () => {
    const fixture = await openRunning({});
    fixture.hub.clock.set(SILENT);
    const late = fixture.ask(sendReply, {
      alias: 'alice',
      text: 'at last',
      in_reply_to: fixture.task_id,
      from_session: 'bob',
    });
    expect(await outcomeOf(late)).toBe('task is terminal');
  });
});

test('a wait for a task returns at its expiry, without a sweep', {
  timeout: 10_000,
}, async () => {
  const fixture = await openFixture();
  const task_id = await send(fixture, { ttl_seconds: 60 });
  await fixture.ask(sendAck, { task_id });
  fixture.hub.clock.advance(59_990);
  let looks = 0;
  const { read } = fixture.hub.store;
  fixture.hub.store.read = (work) => read(work).finally(() => void (looks += 1));
  const waiting = fixture.ask(waitTask, { task_id, timeout_seconds: 300 });
  await expect.poll(() => looks, { interval: 1 }).toBeGreaterThan(4); // the clock stops 10 ms before the expiry
  fixture.hub.clock.advance(10);
  expect(await waiting).toMatchObject({ settled: true, task: { status: 'expired' } });
});
