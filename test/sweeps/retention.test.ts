// Retention: what is deleted at a certain age, what is always kept, and what a dry run reports.
import { describe, expect, test } from 'vitest';
import { ackInbox } from '../../server/operations/agents/ack-inbox.ts';
import { getInbox } from '../../server/operations/agents/get-inbox.ts';
import { reportCompletion } from '../../server/operations/agents/report-completion.ts';
import { sendMessage } from '../../server/operations/messages/send-message.ts';
import { sendReply } from '../../server/operations/messages/send-reply.ts';
import { performAsOperator } from '../../server/operations/operator/operator-operation.ts';
import { pruneHub } from '../../server/operations/operator/prune.ts';
import { followEvents } from '../../server/operations/records/follow-events.ts';
import { cancelTask } from '../../server/operations/tasks/cancel-task.ts';
import { getTask } from '../../server/operations/tasks/get-task.ts';
import { sendAck } from '../../server/operations/tasks/send-ack.ts';
import { expire, prune } from '../../server/sweeps/sweeps.ts';
import { openScene, report, rowsOf, type Scene, send, wordOf } from '../support/scene.ts';

const DAY = 86_400_000;
const NOTHING = { events: 0, messages: 0, tasks: 0, completions: 0, nodes: 0, audit_entries: 0 };

const KEPT = { keep_messages_days: 10, keep_tasks_days: 20, keep_audit_days: 30 };

/** A task that bob settles and whose reply alice has read. */
async function settle(scene: Scene, task: string): Promise<string> {
  const task_id = await send(scene, { task });
  await scene.ask(sendReply, { alias: 'alice', text: 'done', in_reply_to: task_id, from_session: 'bob' });
  await readAll(scene, 'alice');
  return task_id;
}

async function readAll(scene: Scene, alias: string): Promise<void> {
  const { messages } = await scene.ask(getInbox, { alias, limit: 100 });
  for (const { id } of messages) await scene.ask(ackInbox, { alias, message_id: id });
}

const countOf = async (scene: Scene, table: string): Promise<unknown> =>
  (await rowsOf(scene, `SELECT count(*) AS count FROM ${table}`))[0]?.['count'];

describe('unread mail', () => {
  test.each(['hub', 'nobody'])(
    'a settled task sent as %s is deleted on the day after its retention, though its reply is unread',
    async (alias) => {
      const scene = await openScene(KEPT);
      const task_id = await send(scene, { from_session: alias });
      await scene.ask(sendReply, { alias, text: 'done', in_reply_to: task_id, from_session: 'bob' });
      scene.hub.clock.advance(20 * DAY);
      expect(await prune(scene.hub)).toMatchObject({ tasks: 0 });
      scene.hub.clock.advance(1);
      expect(await performAsOperator(pruneHub, scene.hub, { dry_run: true })).toMatchObject({
        pruned: { tasks: 1, messages: 0 },
      });
      expect(await prune(scene.hub)).toMatchObject({ tasks: 1, messages: 0 });
      expect([await countOf(scene, 'tasks'), await countOf(scene, 'messages')]).toEqual([0, 0]);
      expect(await rowsOf(scene, 'SELECT alias, pending FROM inboxes')).toEqual([]); // an empty inbox has no row
      expect(await prune(scene.hub)).toEqual(NOTHING);
    },
  );

  test('mail to hub and to unknown aliases is deleted with the tasks of its age, and other mail stays', async () => {
    const scene = await openScene(KEPT);
    await report(scene, 'bob');
    await report(scene, 'hub');
    for (const alias of ['hub', 'nobody', 'bob'])
      await scene.ask(sendMessage, { alias, message: 'hello', from_session: 'alice' });
    scene.hub.clock.advance(20 * DAY);
    expect(await prune(scene.hub)).toMatchObject({ messages: 0 });
    scene.hub.clock.advance(1);
    expect(await performAsOperator(pruneHub, scene.hub, { dry_run: true })).toMatchObject({ pruned: { messages: 2 } });
    expect(await prune(scene.hub)).toMatchObject({ messages: 2, tasks: 0 });
    expect(await rowsOf(scene, 'SELECT alias FROM messages')).toEqual([{ alias: 'bob' }]);
    expect(await rowsOf(scene, 'SELECT alias, pending FROM inboxes ORDER BY alias')).toEqual([
      { alias: 'bob', pending: 1 },
    ]);
    await scene.ask(sendMessage, { alias: 'nobody', message: 'again', from_session: 'alice' });
    expect(await rowsOf(scene, "SELECT pending FROM inboxes WHERE alias = 'nobody'")).toEqual([{ pending: 1 }]);
  });

  test('a live task to an unknown alias stays, whatever its age', async () => {
    const scene = await openScene({ ...KEPT, keep_tasks_days: 1 });
    await scene.hub.store.write(async (tx) => {
      const later = tx.now + 40 * DAY; // longer than a send allows
      await tx.run(
        `INSERT INTO tasks (task_id, network_seq, from_name, to_name, priority, status, content, ttl_seconds, created_at, delivered_at, expires_at)
         VALUES ('task_1', ?, 'hub', 'nobody', 'normal', 'delivered', 'x', 60, ?, ?, ?)`,
        [tx.networkSeq(scene.caller.network_id), tx.now, tx.now, later],
      );
    });
    scene.hub.clock.advance(5 * DAY);
    expect(await prune(scene.hub)).toEqual(NOTHING);
    expect(await countOf(scene, 'tasks')).toBe(1);
  });

  test('stays when settled tasks are kept forever', async () => {
    const scene = await openScene({ ...KEPT, keep_tasks_days: 0 });
    await scene.ask(sendMessage, { alias: 'hub', message: 'hello', from_session: 'alice' });
    scene.hub.clock.advance(400 * DAY);
    expect(await prune(scene.hub)).toMatchObject({ messages: 0 });
    expect(await countOf(scene, 'messages')).toBe(1);
  });
});

describe('a settled task', () => {
  test('is deleted with its messages and events on the day after its retention, not before', async () => {
    const scene = await openScene(KEPT);
    const task_id = await settle(scene, 'build it');
    scene.hub.clock.advance(20 * DAY);
    expect(await prune(scene.hub)).toMatchObject({ tasks: 0 });
    scene.hub.clock.advance(1);
    expect(await prune(scene.hub)).toMatchObject({ tasks: 1 });
    expect(await wordOf(scene.ask(getTask, { task_id }))).toBe('task not found');
    for (const table of ['tasks', 'messages', 'task_events'])
      expect([table, await countOf(scene, table)]).toEqual([table, 0]);
    expect(await prune(scene.hub)).toEqual(NOTHING);
  });

  test('stays while a known agent has not read its reply or the notice of its end', async () => {
    const scene = await openScene(KEPT);
    for (const alias of ['alice', 'bob']) await report(scene, alias);
    const replied = await send(scene);
    await scene.ask(sendReply, { alias: 'alice', text: 'done', in_reply_to: replied, from_session: 'bob' });
    const cancelled = await send(scene);
    await scene.ask(cancelTask, { task_id: cancelled });
    scene.hub.clock.advance(21 * DAY);
    expect(await prune(scene.hub)).toMatchObject({ tasks: 0, messages: 0 });
    for (const alias of ['alice', 'bob']) await readAll(scene, alias);
    expect(await prune(scene.hub)).toMatchObject({ tasks: 2 });
    expect(await rowsOf(scene, 'SELECT alias, pending FROM inboxes')).toEqual([]);
  });

  test('is aged from its end: a task in progress stays, however old', async () => {
    const scene = await openScene(KEPT);
    await report(scene, 'bob');
    const running = await send(scene, { ttl_seconds: 60 });
    await scene.ask(sendAck, { task_id: running });
    const following = await scene.ask(followEvents, { alias: 'bob' }); // keeps bob online
    scene.hub.clock.advance(25 * DAY);
    expect(await prune(scene.hub)).toMatchObject({ tasks: 0 });
    expect(await countOf(scene, 'tasks')).toBe(1);
    following.end();
  });

  test('is left to the next start when the hub is stopping', async () => {
    const scene = await openScene(KEPT);
    await settle(scene, 'build it');
    scene.hub.clock.advance(21 * DAY);
    scene.hub.life.isStopping = true;
    expect(await prune(scene.hub)).toEqual(NOTHING);
    expect(await countOf(scene, 'tasks')).toBe(1);
  });

  test('several batches of them are deleted, and newer ones stay', async () => {
    const scene = await openScene(KEPT);
    for (let index = 0; index < 600; index++) await send(scene, { task: `old ${index}`, ttl_seconds: 1 });
    scene.hub.clock.advance(1_000);
    expect(await expire(scene.hub)).toMatchObject({ tasks: 600 });
    scene.hub.clock.advance(15 * DAY);
    await send(scene, { task: 'young', ttl_seconds: 1 });
    scene.hub.clock.advance(6 * DAY);
    expect(await prune(scene.hub)).toMatchObject({ tasks: 600 });
    expect(await rowsOf(scene, 'SELECT content FROM tasks')).toEqual([{ content: 'young' }]);
  });
});

describe('a message', () => {
  test('is deleted once it was acknowledged long enough ago, while unread ones and those of tasks stay', async () => {
    const scene = await openScene(KEPT);
    await scene.ask(sendMessage, { alias: 'bob', message: 'read', from_session: 'alice' });
    await readAll(scene, 'bob');
    await scene.ask(sendMessage, { alias: 'bob', message: 'unread', from_session: 'alice' });
    await settle(scene, 'build it');
    scene.hub.clock.advance(11 * DAY);
    expect(await prune(scene.hub)).toMatchObject({ messages: 2, tasks: 0 });
    expect(await rowsOf(scene, 'SELECT type, content FROM messages ORDER BY message_seq')).toEqual([
      { type: 'message', content: 'unread' },
      { type: 'task', content: null },
    ]);
    expect(await rowsOf(scene, "SELECT pending FROM inboxes WHERE alias = 'bob'")).toEqual([{ pending: 1 }]);
  });
});

test('empty inboxes lose their row, however many there are, and count from 0 again', async () => {
  const scene = await openScene(KEPT);
  await scene.ask(sendMessage, { alias: 'kept', message: 'unread' });
  await scene.hub.store.write(async (tx) => {
    const insert = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4500)
      INSERT INTO inboxes (network_seq, alias, pending) SELECT ?, 'empty ' || i, 0 FROM n`;
    await tx.run(insert, [tx.networkSeq(scene.caller.network_id)], 'inboxes');
  });
  scene.hub.clock.advance(DAY);
  await prune(scene.hub);
  expect(await rowsOf(scene, 'SELECT alias, pending FROM inboxes')).toEqual([{ alias: 'kept', pending: 1 }]);
  await scene.ask(sendMessage, { alias: 'empty 7', message: 'again' });
  expect(await rowsOf(scene, "SELECT pending FROM inboxes WHERE alias = 'empty 7'")).toEqual([{ pending: 1 }]);
});

describe('completions and the audit log', () => {
  test('are deleted after their retention, or never with 0 days', async () => {
    for (const [days, left] of [
      [20, 0],
      [0, 1],
    ] as const) {
      const scene = await openScene({ ...KEPT, keep_tasks_days: days, keep_audit_days: days });
      await scene.ask(reportCompletion, { alias: 'bob', task: 'x', result: 'y' });
      await performAsOperator(pruneHub, scene.hub, {});
      scene.hub.clock.advance(21 * DAY);
      expect(await prune(scene.hub)).toMatchObject({ completions: 1 - left, audit_entries: 1 - left });
      expect([await countOf(scene, 'completions'), await countOf(scene, 'audit_log')]).toEqual([left, left]);
    }
  });
});

describe('the prune command', () => {
  test('a dry run counts exactly what would be deleted and changes nothing, and a real run is audited', async () => {
    const scene = await openScene(KEPT);
    for (let index = 0; index < 3; index++) await settle(scene, `task ${index}`);
    scene.hub.clock.advance(5 * DAY);
    expect(await performAsOperator(pruneHub, scene.hub, { dry_run: true })).toMatchObject({
      dry_run: true,
      pruned: { ...NOTHING, events: expect.any(Number) },
    });
    const asked = { keep_tasks_days: 4, keep_messages_days: 4, keep_events_hours: 1 };
    const dry = await performAsOperator(pruneHub, scene.hub, { ...asked, dry_run: true });
    expect(dry.pruned).toMatchObject({ messages: 3, tasks: 3 });
    expect(await countOf(scene, 'tasks')).toBe(3);
    expect(await countOf(scene, 'audit_log')).toBe(0);
    const wet = await performAsOperator(pruneHub, scene.hub, asked);
    expect(wet).toMatchObject({ ...dry, dry_run: false, pruned: { ...dry.pruned } });
    expect(await countOf(scene, 'tasks')).toBe(0);
    expect(await rowsOf(scene, 'SELECT actor, action, detail FROM audit_log')).toEqual([
      {
        actor: 'command line',
        action: 'hub.prune',
        detail: expect.stringMatching(/^\d+ events, 3 messages, 3 tasks, 0 completions, 0 nodes, 0 audit entries$/),
      },
    ]);
  });
});

describe('retention stops while the clock is in doubt', () => {
  const MINUTE = 60_000;

  test('a clock that is years ahead for some seconds deletes nothing, nor does a hub that stays ahead', async () => {
    const scene = await openScene(KEPT);
    scene.hub.clock.advance(DAY);
    await settle(scene, 'keep me');
    scene.hub.clock.jump(400 * DAY);
    scene.hub.clock.now();
    expect(await prune(scene.hub)).toEqual(NOTHING);
    scene.hub.clock.jump(-400 * DAY);
    scene.hub.clock.advance(30 * MINUTE);
    expect(await prune(scene.hub)).toEqual(NOTHING);
    expect(await countOf(scene, 'tasks')).toBe(1);
  });

  test('after a sleep the sweep waits for five minutes, because the clock can still be corrected', async () => {
    const scene = await openScene(KEPT);
    scene.hub.clock.advance(DAY);
    await settle(scene, 'over when it wakes');
    scene.hub.clock.jump(40 * DAY);
    scene.hub.clock.now();
    scene.hub.clock.advance(5 * MINUTE - 1);
    expect(await prune(scene.hub)).toEqual(NOTHING);
    scene.hub.clock.advance(1);
    expect(await prune(scene.hub)).toMatchObject({ tasks: 1 });
  });
});
