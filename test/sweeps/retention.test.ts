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
import { removeOld } from '../../server/operations/retention.ts';
import { cancelTask } from '../../server/operations/tasks/cancel-task.ts';
import { getTask } from '../../server/operations/tasks/get-task.ts';
import { retryTask } from '../../server/operations/tasks/retry-task.ts';
import { sendAck } from '../../server/operations/tasks/send-ack.ts';
import { expire, prune, pruneEvents } from '../../server/sweeps/sweeps.ts';
import { type Fixture, openFixture, outcomeOf, report, rowsOf, send } from '../support/fixture.ts';
import { ticking } from '../support/ticking.ts';
import { watched } from '../support/watched-writes.ts';

const DAY = 86_400_000;
const NOTHING = { events: 0, messages: 0, tasks: 0, completions: 0, nodes: 0, audit_entries: 0 };

const KEPT = { keep_messages_days: 10, keep_tasks_days: 20, keep_audit_days: 30 };

/** A task that bob settles and whose reply alice has read. */
async function settle(fixture: Fixture, task: string): Promise<string> {
  const task_id = await send(fixture, { task });
  await fixture.ask(sendReply, { alias: 'alice', text: 'done', in_reply_to: task_id, from_session: 'bob' });
  await readAll(fixture, 'alice');
  return task_id;
}

async function readAll(fixture: Fixture, alias: string): Promise<void> {
  const { messages } = await fixture.ask(getInbox, { alias, limit: 100 });
  for (const { id } of messages) await fixture.ask(ackInbox, { alias, message_id: id });
}

const countOf = async (fixture: Fixture, table: string): Promise<unknown> =>
  (await rowsOf(fixture, `SELECT count(*) AS count FROM ${table}`))[0]?.['count'];

describe('unread mail', () => {
  test.each(['hub', 'nobody'])(
    'a settled task sent as %s is deleted on the day after its retention, though its reply is unread',
    async (alias) => {
      const fixture = await openFixture(KEPT);
      const task_id = await send(fixture, { from_session: alias });
      await fixture.ask(sendReply, { alias, text: 'done', in_reply_to: task_id, from_session: 'bob' });
      fixture.hub.clock.advance(20 * DAY);
      expect(await prune(fixture.hub)).toMatchObject({ tasks: 0 });
      fixture.hub.clock.advance(1);
      expect(await performAsOperator(pruneHub, fixture.hub, { dry_run: true })).toMatchObject({
        pruned: { tasks: 1, messages: 0 },
      });
      expect(await prune(fixture.hub)).toMatchObject({ tasks: 1, messages: 0 });
      expect([await countOf(fixture, 'tasks'), await countOf(fixture, 'messages')]).toEqual([0, 0]);
      expect(await rowsOf(fixture, 'SELECT alias, pending FROM inboxes')).toEqual([]); // an empty inbox has no row
      expect(await prune(fixture.hub)).toEqual(NOTHING);
    },
  );

  test('mail to hub and to unknown aliases is deleted with the tasks of its age, and other mail stays', async () => {
    const fixture = await openFixture(KEPT);
    await report(fixture, 'bob');
    await report(fixture, 'hub');
    for (const alias of ['hub', 'nobody', 'bob'])
      await fixture.ask(sendMessage, { alias, message: 'hello', from_session: 'alice' });
    fixture.hub.clock.advance(20 * DAY);
    expect(await prune(fixture.hub)).toMatchObject({ messages: 0 });
    fixture.hub.clock.advance(1);
    expect(await performAsOperator(pruneHub, fixture.hub, { dry_run: true })).toMatchObject({
      pruned: { messages: 2 },
    });
    expect(await prune(fixture.hub)).toMatchObject({ messages: 2, tasks: 0 });
    expect(await rowsOf(fixture, 'SELECT alias FROM messages')).toEqual([{ alias: 'bob' }]);
    expect(await rowsOf(fixture, 'SELECT alias, pending FROM inboxes ORDER BY alias')).toEqual([
      { alias: 'bob', pending: 1 },
    ]);
    await fixture.ask(sendMessage, { alias: 'nobody', message: 'again', from_session: 'alice' });
    expect(await rowsOf(fixture, "SELECT pending FROM inboxes WHERE alias = 'nobody'")).toEqual([{ pending: 1 }]);
  });

  test('a live task to an unknown alias stays, whatever its age', async () => {
    const fixture = await openFixture({ ...KEPT, keep_tasks_days: 1 });
    await fixture.hub.store.write(async (tx) => {
      const later = tx.now + 40 * DAY; // longer than a send allows
      await tx.run(
        `INSERT INTO tasks (task_id, network_seq, from_name, to_name, priority, status, content, ttl_seconds, created_at, delivered_at, expires_at)
         VALUES ('task_1', ?, 'hub', 'nobody', 'normal', 'delivered', 'x', 60, ?, ?, ?)`,
        [tx.networkSeq(fixture.caller.network_id), tx.now, tx.now, later],
      );
    });
    fixture.hub.clock.advance(5 * DAY);
    expect(await prune(fixture.hub)).toEqual(NOTHING);
    expect(await countOf(fixture, 'tasks')).toBe(1);
  });

  test('stays when settled tasks are kept forever', async () => {
    const fixture = await openFixture({ ...KEPT, keep_tasks_days: 0 });
    await fixture.ask(sendMessage, { alias: 'hub', message: 'hello', from_session: 'alice' });
    fixture.hub.clock.advance(400 * DAY);
    expect(await prune(fixture.hub)).toMatchObject({ messages: 0 });
    expect(await countOf(fixture, 'messages')).toBe(1);
  });
});

describe('a settled task', () => {
  test('is deleted with its messages and events on the day after its retention, not before', async () => {
    const fixture = await openFixture(KEPT);
    const task_id = await settle(fixture, 'build it');
    fixture.hub.clock.advance(20 * DAY);
    expect(await prune(fixture.hub)).toMatchObject({ tasks: 0 });
    fixture.hub.clock.advance(1);
    expect(await prune(fixture.hub)).toMatchObject({ tasks: 1 });
    expect(await outcomeOf(fixture.ask(getTask, { task_id }))).toBe('task not found');
    for (const table of ['tasks', 'messages', 'task_events'])
      expect([table, await countOf(fixture, table)]).toEqual([table, 0]);
    expect(await prune(fixture.hub)).toEqual(NOTHING);
  });

  test('stays while a known agent has not read its reply or the notice of its end', async () => {
    const fixture = await openFixture(KEPT);
    for (const alias of ['alice', 'bob']) await report(fixture, alias);
    const replied = await send(fixture);
    await fixture.ask(sendReply, { alias: 'alice', text: 'done', in_reply_to: replied, from_session: 'bob' });
    const cancelled = await send(fixture);
    await fixture.ask(cancelTask, { task_id: cancelled });
    fixture.hub.clock.advance(21 * DAY);
    expect(await prune(fixture.hub)).toMatchObject({ tasks: 0, messages: 0 });
    for (const alias of ['alice', 'bob']) await readAll(fixture, alias);
    expect(await prune(fixture.hub)).toMatchObject({ tasks: 2 });
    expect(await rowsOf(fixture, 'SELECT alias, pending FROM inboxes')).toEqual([]);
  });

  test('is aged from its end: a task in progress stays, however old', async () => {
    const fixture = await openFixture(KEPT);
    await report(fixture, 'bob');
    const running = await send(fixture, { ttl_seconds: 60 });
    await fixture.ask(sendAck, { task_id: running });
    const following = await fixture.ask(followEvents, { alias: 'bob' }); // keeps bob online
    fixture.hub.clock.advance(25 * DAY);
    expect(await prune(fixture.hub)).toMatchObject({ tasks: 0 });
    expect(await countOf(fixture, 'tasks')).toBe(1);
    following.end();
  });

  test('is left to the next start when the hub is stopping', async () => {
    const fixture = await openFixture(KEPT);
    await settle(fixture, 'build it');
    fixture.hub.clock.advance(21 * DAY);
    fixture.hub.life.isStopping = true;
    expect(await prune(fixture.hub)).toEqual(NOTHING);
    expect(await countOf(fixture, 'tasks')).toBe(1);
  });

  test('several batches of them are deleted, and newer ones stay', async () => {
    const fixture = await openFixture(KEPT);
    for (let index = 0; index < 600; index++) await send(fixture, { task: `old ${index}`, ttl_seconds: 1 });
    fixture.hub.clock.advance(1_000);
    expect(await expire(fixture.hub)).toMatchObject({ tasks: 600 });
    fixture.hub.clock.advance(15 * DAY);
    await send(fixture, { task: 'young', ttl_seconds: 1 });
    fixture.hub.clock.advance(6 * DAY);
    expect(await prune(fixture.hub)).toMatchObject({ tasks: 600 });
    expect(await rowsOf(fixture, 'SELECT content FROM tasks')).toEqual([{ content: 'young' }]);
  });
});

describe('a message', () => {
  test('is deleted once it was acknowledged long enough ago, while unread ones and those of tasks stay', async () => {
    const fixture = await openFixture(KEPT);
    await fixture.ask(sendMessage, { alias: 'bob', message: 'read', from_session: 'alice' });
    await readAll(fixture, 'bob');
    await fixture.ask(sendMessage, { alias: 'bob', message: 'unread', from_session: 'alice' });
    await settle(fixture, 'build it');
    fixture.hub.clock.advance(11 * DAY);
    expect(await prune(fixture.hub)).toMatchObject({ messages: 2, tasks: 0 });
    expect(await rowsOf(fixture, 'SELECT type, content FROM messages ORDER BY message_seq')).toEqual([
      { type: 'message', content: 'unread' },
      { type: 'task', content: null },
    ]);
    expect(await rowsOf(fixture, "SELECT pending FROM inboxes WHERE alias = 'bob'")).toEqual([{ pending: 1 }]);
  });
});

test('empty inboxes lose their row, however many there are, and count from 0 again', async () => {
  const fixture = await openFixture(KEPT);
  await fixture.ask(sendMessage, { alias: 'kept', message: 'unread' });
  await fixture.hub.store.write(async (tx) => {
    const insert = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4500)
      INSERT INTO inboxes (network_seq, alias, pending) SELECT ?, 'empty ' || i, 0 FROM n`;
    await tx.run(insert, [tx.networkSeq(fixture.caller.network_id)], 'inboxes');
  });
  fixture.hub.clock.advance(DAY);
  await prune(fixture.hub);
  expect(await rowsOf(fixture, 'SELECT alias, pending FROM inboxes')).toEqual([{ alias: 'kept', pending: 1 }]);
  await fixture.ask(sendMessage, { alias: 'empty 7', message: 'again' });
  expect(await rowsOf(fixture, "SELECT pending FROM inboxes WHERE alias = 'empty 7'")).toEqual([{ pending: 1 }]);
});

describe('portions', () => {
  const ROWS_PER_STEP = 8;
  const ATTEMPTS = 40;

  async function fill(fixture: Fixture): Promise<void> {
    for (let index = 0; index < 30; index++) {
      await settle(fixture, `task ${index}`);
      await fixture.ask(sendMessage, { alias: 'nobody', message: `message ${index}` });
      await fixture.ask(reportCompletion, { alias: 'bob', task: 'x', result: 'y' });
    }
    const task_id = await send(fixture, { alias: 'nobody' });
    for (let attempt = 1; attempt < ATTEMPTS; attempt++) {
      await fixture.ask(cancelTask, { task_id });
      await fixture.ask(retryTask, { task_id });
    }
    await fixture.ask(cancelTask, { task_id });
  }

  test.each([
    { rows: 'slow', stepMs: 10, least: 100, most: 1_000 },
    { rows: 'fast', stepMs: 0.001, least: 6, most: 8 }, // one per kind
  ])('everything is deleted, with many commits of few rows if rows are $rows', async ({ stepMs, least, most }) => {
    const fixture = await openFixture(KEPT);
    await fill(fixture);
    fixture.hub.clock.advance(31 * DAY);
    const { seen, hub } = watched(fixture.hub);
    const retention = { keep_events_hours: 1, keep_messages_days: 10, keep_tasks_days: 20, keep_audit_days: 30 };
    const dry = await removeOld(hub, retention, { dryRun: true, elapsed: ticking(stepMs) });
    expect(seen.writes).toBe(0);
    expect(await removeOld(hub, retention, { dryRun: false, elapsed: ticking(stepMs) })).toEqual(dry);
    expect(dry).toMatchObject({ messages: 60, tasks: 31, completions: 30 });
    for (const table of ['events', 'messages', 'tasks', 'task_events', 'completions', 'inboxes'])
      expect([table, await countOf(fixture, table)]).toEqual([table, 0]);
    expect(seen.writes).toBeGreaterThanOrEqual(least);
    expect(seen.writes).toBeLessThanOrEqual(most);
    expect(seen.most).toBeLessThanOrEqual(3 * ROWS_PER_STEP);
  });

  test('rows with a time in the future do not hide expired ones after them', async () => {
    const fixture = await openFixture(KEPT);
    for (let index = 0; index < 90; index++) await send(fixture, { task: `future ${index}`, ttl_seconds: 1 });
    await fixture.hub.store.write((tx) => tx.run('UPDATE tasks SET created_at = created_at + ?', [40 * DAY]));
    await send(fixture, { task: 'past', ttl_seconds: 1 });
    fixture.hub.clock.advance(1_000);
    await expire(fixture.hub);
    await fixture.hub.store.write((tx) => tx.run("UPDATE tasks SET completed_at = created_at WHERE content <> 'past'"));
    fixture.hub.clock.advance(21 * DAY);
    expect(await prune(fixture.hub)).toMatchObject({ tasks: 1 });
    expect(await countOf(fixture, 'tasks')).toBe(90);
  });
});

describe('completions and the audit log', () => {
  test('are deleted after their retention, or never with 0 days', async () => {
    for (const [days, left] of [
      [20, 0],
      [0, 1],
    ] as const) {
      const fixture = await openFixture({ ...KEPT, keep_tasks_days: days, keep_audit_days: days });
      await fixture.ask(reportCompletion, { alias: 'bob', task: 'x', result: 'y' });
      await performAsOperator(pruneHub, fixture.hub, {});
      fixture.hub.clock.advance(21 * DAY);
      expect(await prune(fixture.hub)).toMatchObject({ completions: 1 - left, audit_entries: 1 - left });
      expect([await countOf(fixture, 'completions'), await countOf(fixture, 'audit_log')]).toEqual([left, left]);
    }
  });
});

describe('the prune command', () => {
  test('a dry run counts exactly what would be deleted and changes nothing, and a real run is audited', async () => {
    const fixture = await openFixture(KEPT);
    for (let index = 0; index < 3; index++) await settle(fixture, `task ${index}`);
    fixture.hub.clock.advance(5 * DAY);
    expect(await performAsOperator(pruneHub, fixture.hub, { dry_run: true })).toMatchObject({
      dry_run: true,
      pruned: { ...NOTHING, events: expect.any(Number) },
    });
    const options = { keep_tasks_days: 4, keep_messages_days: 4, keep_events_hours: 1 };
    const dry = await performAsOperator(pruneHub, fixture.hub, { ...options, dry_run: true });
    expect(dry.pruned).toMatchObject({ messages: 3, tasks: 3 });
    expect(await countOf(fixture, 'tasks')).toBe(3);
    expect(await countOf(fixture, 'audit_log')).toBe(0);
    const actual = await performAsOperator(pruneHub, fixture.hub, options);
    expect(actual).toMatchObject({ ...dry, dry_run: false, pruned: { ...dry.pruned } });
    expect(await countOf(fixture, 'tasks')).toBe(0);
    expect(await rowsOf(fixture, 'SELECT actor, action, detail FROM audit_log')).toEqual([
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
    const fixture = await openFixture(KEPT);
    fixture.hub.clock.advance(DAY);
    await settle(fixture, 'keep me');
    fixture.hub.clock.jump(400 * DAY);
    fixture.hub.clock.now();
    expect(await prune(fixture.hub)).toEqual(NOTHING);
    fixture.hub.clock.jump(-400 * DAY);
    fixture.hub.clock.advance(30 * MINUTE);
    expect(await prune(fixture.hub)).toEqual(NOTHING);
    expect(await countOf(fixture, 'tasks')).toBe(1);
  });

  test('events can be replayed after a clock was years ahead for some seconds, but do not pile up if it stays', async () => {
    const fixture = await openFixture(KEPT);
    fixture.hub.clock.advance(DAY);
    await send(fixture);
    const stored = await countOf(fixture, 'events');
    fixture.hub.clock.jump(400 * DAY);
    expect(await pruneEvents(fixture.hub)).toEqual({ events: 0 });
    fixture.hub.clock.jump(-400 * DAY);
    fixture.hub.clock.advance(5 * MINUTE - 1);
    expect(await pruneEvents(fixture.hub)).toEqual({ events: 0 });
    expect(await countOf(fixture, 'events')).toBe(stored);
    fixture.hub.clock.advance(1);
    expect(await pruneEvents(fixture.hub)).toEqual({ events: stored });
  });

  test('after a sleep the sweep waits for five minutes, because the clock can still be corrected', async () => {
    const fixture = await openFixture(KEPT);
    fixture.hub.clock.advance(DAY);
    await settle(fixture, 'over when it wakes');
    fixture.hub.clock.jump(40 * DAY);
    fixture.hub.clock.now();
    fixture.hub.clock.advance(5 * MINUTE - 1);
    expect(await prune(fixture.hub)).toEqual(NOTHING);
    fixture.hub.clock.advance(1);
    expect(await prune(fixture.hub)).toMatchObject({ tasks: 1 });
  });
});
