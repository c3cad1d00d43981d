// Each sweep writes what every reader already sees, and returns how much it wrote.
import { describe, expect, test } from 'vitest';
import { register } from '../../server/operations/accounts/register.ts';
import { getInbox } from '../../server/operations/agents/get-inbox.ts';
import { sendMessage } from '../../server/operations/messages/send-message.ts';
import { perform } from '../../server/operations/operation.ts';
import { followEvents } from '../../server/operations/records/follow-events.ts';
import { getAllStatus } from '../../server/operations/sessions/get-all-status.ts';
import { cancelTask } from '../../server/operations/tasks/cancel-task.ts';
import { getTask } from '../../server/operations/tasks/get-task.ts';
import { listTasks } from '../../server/operations/tasks/list-tasks.ts';
import { sendAck } from '../../server/operations/tasks/send-ack.ts';
import { identify } from '../../server/operations/tokens/identify.ts';
import { flushWriteBehind } from '../../server/operations/write-behind.ts';
import { position } from '../../server/store/events.ts';
import { listMissed } from '../../server/store/lists/replay.ts';
import { expire, pruneEvents } from '../../server/sweeps/sweeps.ts';
import { writeHeartbeats } from '../../server/sweeps/write-heartbeats.ts';
import { dump, type Fixture, listenTo, openFixture, outcomeOf, report, rowsOf, send } from '../support/fixture.ts';
import { openTestHub } from '../support/test-hub.ts';
import { ticking } from '../support/ticking.ts';
import { watched } from '../support/watched-writes.ts';

const TEN_MINUTES = 600_000;
const DAY_MS = 86_400_000;

/** The sessions and tasks that readers see. */
async function view(fixture: Fixture) {
  const { sessions, summary } = await fixture.ask(getAllStatus, {});
  const { tasks, stats } = await fixture.ask(listTasks, {});
  return { sessions, summary, tasks, stats, inbox: (await fixture.ask(getInbox, { alias: 'carol' })).messages };
}

describe('expire, of sessions', () => {
  test('marks silent agents, publishes events, and then has nothing left to do', async () => {
    const fixture = await openFixture();
    for (const alias of ['ann', 'bob']) await report(fixture, alias);
    fixture.hub.clock.advance(TEN_MINUTES);
    await report(fixture, 'carol');
    expect(await expire(fixture.hub)).toMatchObject({ sessions: 0 });
    fixture.hub.clock.advance(1);
    const received = listenTo(fixture);
    expect(await expire(fixture.hub)).toMatchObject({ sessions: 2 });
    expect(received.map(({ data }) => [JSON.parse(data).alias, JSON.parse(data).status])).toEqual([
      ['ann', 'offline'],
      ['bob', 'offline'],
    ]);
    expect(await rowsOf(fixture, 'SELECT alias, status, marked_offline FROM sessions ORDER BY alias')).toEqual([
      { alias: 'ann', status: 'idle', marked_offline: 1 },
      { alias: 'bob', status: 'idle', marked_offline: 1 },
      { alias: 'carol', status: 'idle', marked_offline: 0 },
    ]);
    expect(await expire(fixture.hub)).toMatchObject({ sessions: 0 });
  });

  test('handles more than one batch', async () => {
    const fixture = await openFixture();
    await Promise.all(Array.from({ length: 600 }, (_, index) => report(fixture, `agent ${index}`)));
    fixture.hub.clock.advance(TEN_MINUTES + 1);
    expect(await expire(fixture.hub)).toMatchObject({ sessions: 600 });
    expect(await rowsOf(fixture, 'SELECT DISTINCT marked_offline FROM sessions')).toEqual([{ marked_offline: 1 }]);
  });

  test('skips agents with an unwritten heartbeat, and those that reported offline', async () => {
    const fixture = await openFixture();
    await report(fixture, 'ann');
    await report(fixture, 'bob', { status: 'offline' });
    const following = await fixture.ask(followEvents, { alias: 'ann' });
    fixture.hub.clock.advance(TEN_MINUTES * 6);
    expect(await expire(fixture.hub)).toMatchObject({ sessions: 0 });
    following.end();
  });
});

describe('expire, of tasks', () => {
  test('expires due tasks, publishes events, and clears the inboxes', async () => {
    const fixture = await openFixture();
    for (let index = 0; index < 3; index++) await send(fixture, { task: `due ${index}`, ttl_seconds: 60 });
    const later = await send(fixture, { task: 'later', ttl_seconds: 61 });
    fixture.hub.clock.advance(60_000 - 1);
    expect(await expire(fixture.hub)).toMatchObject({ tasks: 0 });
    fixture.hub.clock.advance(1);
    const seen = listenTo(fixture);
    expect(await expire(fixture.hub)).toMatchObject({ tasks: 3 });
    expect(seen.map(({ name, data }) => [name, JSON.parse(data).status])).toEqual([
      ['task', 'expired'],
      ['task', 'expired'],
      ['task', 'expired'],
    ]);
    expect(await rowsOf(fixture, 'SELECT pending FROM inboxes')).toEqual([{ pending: 1 }]);
    expect(
      await rowsOf(
        fixture,
        "SELECT actor, from_status, count(*) AS count FROM task_events WHERE to_status = 'expired' GROUP BY 1, 2",
      ),
    ).toEqual([{ actor: 'hub', from_status: 'delivered', count: 3 }]);
    expect((await fixture.ask(getTask, { task_id: later })).task.status).toBe('delivered');
    expect(await expire(fixture.hub)).toMatchObject({ tasks: 0 });
  });

  test('handles more than one batch', async () => {
    const fixture = await openFixture();
    await Promise.all(
      Array.from({ length: 600 }, (_, index) => send(fixture, { task: `task ${index}`, ttl_seconds: 1 })),
    );
    fixture.hub.clock.advance(1_000);
    expect(await expire(fixture.hub)).toMatchObject({ tasks: 600 });
    expect(await rowsOf(fixture, 'SELECT DISTINCT status FROM tasks')).toEqual([{ status: 'expired' }]);
  });

  test('yields to others between batches, and no one can see or move a due task', async () => {
    const fixture = await openFixture();
    const ids = await Promise.all(
      Array.from({ length: 1_000 }, (_, index) => send(fixture, { task: `task ${index}`, ttl_seconds: 1 })),
    );
    fixture.hub.clock.advance(1_000);
    let turns = 0;
    const counting = setInterval(() => turns++, 0);
    const [last = ''] = ids.slice(-1);
    const words = await Promise.all([
      outcomeOf(fixture.ask(cancelTask, { task_id: last })),
      fixture.ask(listTasks, {}).then(({ stats }) => stats),
      fixture.ask(getInbox, { alias: 'bob' }).then(({ messages }) => messages.length),
    ]);
    clearInterval(counting);
    expect(words).toEqual(['task is terminal', [{ status: 'expired', count: 1_000 }], 0]);
    expect(turns).toBeGreaterThanOrEqual(3);
  });

  test('skips a running task of an online assignee', async () => {
    const fixture = await openFixture();
    await report(fixture, 'bob');
    await fixture.ask(sendAck, { task_id: await send(fixture, { ttl_seconds: 60 }) });
    fixture.hub.clock.advance(TEN_MINUTES);
    expect(await expire(fixture.hub)).toMatchObject({ tasks: 0 });
    fixture.hub.clock.advance(1);
    expect(await expire(fixture.hub)).toMatchObject({ tasks: 1 });
  });

  test('skips a running task of an assignee that polled, even before that is written', async () => {
    const fixture = await openFixture();
    await report(fixture, 'bob');
    await fixture.ask(sendAck, { task_id: await send(fixture, { ttl_seconds: 60 }) });
    await fixture.ask(getInbox, { alias: 'bob' });
    fixture.hub.clock.advance(14_000);
    await fixture.ask(getInbox, { alias: 'bob' });
    fixture.hub.clock.advance(TEN_MINUTES);
    expect(await expire(fixture.hub)).toMatchObject({ tasks: 0 });
  });

  test('skips a running task of an assignee with an open stream', async () => {
    const fixture = await openFixture();
    await report(fixture, 'bob');
    await fixture.ask(sendAck, { task_id: await send(fixture, { ttl_seconds: 60 }) });
    const following = await fixture.ask(followEvents, { alias: 'bob' });
    fixture.hub.clock.advance(TEN_MINUTES * 2);
    expect(await expire(fixture.hub)).toMatchObject({ tasks: 0 });
    following.end();
  });
});

test.each([[TEN_MINUTES], [TEN_MINUTES + 1], [3_600_000]])(
  'after %i ms readers see the same whether or not the sweeps ran',
  async (milliseconds) => {
    const [swept, read] = [await openWithTasks(), await openWithTasks()];
    for (const fixture of [swept, read]) fixture.hub.clock.advance(milliseconds);
    await expire(swept.hub);
    expect(await view(read)).toEqual(await view(swept));
    const { events: _, ...before } = await dump(read);
    const { events: __, ...after } = await dump(swept);
    expect(before).toEqual({ ...after, hub: before['hub'] }); // each hub has a different epoch
  },
);

async function openWithTasks(): Promise<Fixture> {
  const fixture = await openFixture();
  await report(fixture, 'bob', { status: 'working' });
  await report(fixture, 'carol');
  await fixture.ask(sendAck, { task_id: await send(fixture, { ttl_seconds: 300 }) });
  for (const ttl_seconds of [300, 601, 4_000])
    await send(fixture, { alias: 'carol', task: `within ${ttl_seconds}`, ttl_seconds });
  return fixture;
}

describe('write-heartbeats', () => {
  test('writes each heartbeat once, with its own time', async () => {
    const fixture = await openFixture();
    await report(fixture, 'bob');
    await fixture.ask(getInbox, { alias: 'bob' });
    fixture.hub.clock.advance(5_000);
    await fixture.ask(getInbox, { alias: 'bob' });
    const polled = fixture.hub.clock.now();
    fixture.hub.clock.advance(5_000);
    expect(await writeHeartbeats(fixture.hub)).toEqual({ heartbeats: 1 });
    expect(await rowsOf(fixture, 'SELECT last_seen_at FROM sessions')).toEqual([{ last_seen_at: polled }]);
    expect(await writeHeartbeats(fixture.hub)).toEqual({ heartbeats: 0 });
  });

  test('many are written in portions, and those after a failed write with the next run', async () => {
    const fixture = await openFixture();
    const count = 300;
    for (let number = 0; number < count; number++) {
      await report(fixture, `bob${number}`);
      await fixture.ask(getInbox, { alias: `bob${number}` });
    }
    fixture.hub.clock.advance(5_000);
    for (let number = 0; number < count; number++) await fixture.ask(getInbox, { alias: `bob${number}` });
    const { hub, seen } = watched(fixture.hub);
    const full = new Error('database or disk is full');
    const write: typeof hub.store.write = (...args) =>
      seen.writes < 3 ? hub.store.write(...args) : Promise.reject(full);
    const failing = { ...hub, store: { ...hub.store, write } };
    await expect(writeHeartbeats(failing, ticking(10))).rejects.toBe(full);
    const stored = 'SELECT count(*) AS stored FROM sessions WHERE last_seen_at = ?';
    const [{ stored: some }] = (await rowsOf(fixture, stored, hub.clock.now())) as [{ stored: number }];
    expect(some).toBeGreaterThan(0);
    expect(some).toBeLessThan(count);
    expect(await writeHeartbeats(fixture.hub)).toEqual({ heartbeats: count - some });
    expect(await rowsOf(fixture, stored, hub.clock.now())).toEqual([{ stored: count }]);
  });

  test('writes an open stream with the current time, on each run', async () => {
    const fixture = await openFixture();
    await report(fixture, 'bob');
    const following = await fixture.ask(followEvents, { alias: 'bob' });
    for (let round = 0; round < 3; round++) {
      fixture.hub.clock.advance(15_000);
      expect(await writeHeartbeats(fixture.hub)).toEqual({ heartbeats: 1 });
      expect(await rowsOf(fixture, 'SELECT last_seen_at FROM sessions')).toEqual([
        { last_seen_at: fixture.hub.clock.now() },
      ]);
    }
    following.end();
  });
});

describe('flush-write-behind', () => {
  test('marks pushed messages once, with the first time', async () => {
    const fixture = await openFixture();
    const task_id = await send(fixture);
    const { message_id } = await fixture.ask(sendMessage, { alias: 'bob', message: 'hello' });
    for (const id of [task_id, message_id, task_id]) fixture.hub.writeBehind.notified(id, fixture.hub.clock.now());
    fixture.hub.clock.advance(1_000);
    expect(await flushWriteBehind(fixture.hub)).toEqual({ notified: 2, used: 0 });
    expect((await fixture.ask(getTask, { task_id })).task).toMatchObject({ notified_at: '2026-01-15 12:00:00' });
    fixture.hub.clock.advance(1_000);
    fixture.hub.writeBehind.notified(task_id, fixture.hub.clock.now());
    await flushWriteBehind(fixture.hub);
    expect((await fixture.ask(getTask, { task_id })).task).toMatchObject({ notified_at: '2026-01-15 12:00:00' });
    expect(await flushWriteBehind(fixture.hub)).toEqual({ notified: 0, used: 0 });
  });

  test('handles more marks than fit into one statement', async () => {
    const fixture = await openFixture();
    const ids = await Promise.all(
      Array.from({ length: 1_100 }, (_, index) => send(fixture, { task: `task ${index}` })),
    );
    ids.forEach((id) => fixture.hub.writeBehind.notified(id, fixture.hub.clock.now()));
    expect(await flushWriteBehind(fixture.hub)).toEqual({ notified: 1_100, used: 0 });
    expect(await rowsOf(fixture, 'SELECT count(*) AS count FROM messages WHERE notified_at IS NULL')).toEqual([
      { count: 0 },
    ]);
  });

  test('writes the last use of a token at most once a minute, and a user token lives 30 days from it', async () => {
    const hub = await openTestHub();
    const { token, network_token } = await perform(
      register,
      hub,
      { ip: '127.0.0.1' },
      { username: 'ann', password: 'secret' },
    );
    const use = async () => [await identify(hub, token, ''), await identify(hub, network_token, '')];
    await use();
    expect(await flushWriteBehind(hub)).toEqual({ notified: 0, used: 2 });
    hub.clock.advance(59_999);
    await use();
    expect(await flushWriteBehind(hub)).toEqual({ notified: 0, used: 0 });
    hub.clock.advance(1);
    await use();
    expect(await flushWriteBehind(hub)).toEqual({ notified: 0, used: 2 });
    const now = hub.clock.now();
    expect(await rowsOf({ hub }, 'SELECT kind, last_used_at, expires_at FROM tokens ORDER BY token_seq')).toEqual([
      { kind: 'user', last_used_at: now, expires_at: now + 30 * DAY_MS },
      { kind: 'network', last_used_at: now, expires_at: null },
    ]);
  });

  test('a user token in occasional use does not expire', async () => {
    const hub = await openTestHub();
    const { token } = await perform(register, hub, { ip: '127.0.0.1' }, { username: 'ann', password: 'secret' });
    for (let month = 0; month < 6; month++) {
      hub.clock.advance(29 * DAY_MS);
      expect(await identify(hub, token, '')).toBeDefined();
      await flushWriteBehind(hub);
    }
  });
});

describe('prune-events', () => {
  /** All events that can be replayed. */
  const eventsOf = ({ hub, caller: { network_id } }: Fixture) =>
    hub.store.read(async (reader) => {
      const { after } = await position(reader);
      const asked = {
        networks: [network_id],
        alias: undefined,
        after,
        limit: 1_000,
        characters: Infinity,
        rows: 1_000,
      };
      return (await listMissed(reader, asked)).found;
    });

  test('deletes events older than 24 hours, and nothing newer', async () => {
    const fixture = await openFixture();
    await send(fixture);
    fixture.hub.clock.advance(1);
    await send(fixture);
    fixture.hub.clock.advance(DAY_MS);
    await expire(fixture.hub);
    const all = await eventsOf(fixture);
    const old = all.filter(({ created_at }) => created_at === all[0]?.created_at).length;
    expect(await pruneEvents(fixture.hub)).toEqual({ events: old });
    expect(await fixture.hub.store.read(position)).toMatchObject({ after: all[old - 1]?.seq, latest: all.at(-1)?.seq });
    expect(await eventsOf(fixture)).toEqual(all.slice(old));
    expect(await pruneEvents(fixture.hub)).toEqual({ events: 0 });
  });

  test('numbering continues after every event is deleted', async () => {
    const fixture = await openFixture();
    await send(fixture);
    fixture.hub.clock.advance(DAY_MS);
    await expire(fixture.hub);
    const latest = (await eventsOf(fixture)).at(-1);
    fixture.hub.clock.advance(DAY_MS + 1);
    await pruneEvents(fixture.hub);
    const arrived = listenTo(fixture);
    await report(fixture, 'bob');
    expect(arrived.map(({ seq }) => seq)).toEqual([Number(latest?.seq) + 1]);
  });
});
