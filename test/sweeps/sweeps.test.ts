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
import { expire, pruneEvents, writeHeartbeats } from '../../server/sweeps/sweeps.ts';
import { dump, listenTo, openScene, report, rowsOf, type Scene, send, wordOf } from '../support/scene.ts';
import { openTestHub } from '../support/test-hub.ts';

const TEN_MINUTES = 600_000;
const DAY_MS = 86_400_000;

/** The sessions and tasks that readers see. */
async function view(scene: Scene) {
  const { sessions, summary } = await scene.ask(getAllStatus, {});
  const { tasks, stats } = await scene.ask(listTasks, {});
  return { sessions, summary, tasks, stats, inbox: (await scene.ask(getInbox, { alias: 'carol' })).messages };
}

describe('expire, of sessions', () => {
  test('marks silent agents, publishes events, and then has nothing left to do', async () => {
    const scene = await openScene();
    for (const alias of ['ann', 'bob']) await report(scene, alias);
    scene.hub.clock.advance(TEN_MINUTES);
    await report(scene, 'carol');
    expect(await expire(scene.hub)).toMatchObject({ sessions: 0 });
    scene.hub.clock.advance(1);
    const heard = listenTo(scene);
    expect(await expire(scene.hub)).toMatchObject({ sessions: 2 });
    expect(heard.map(({ data }) => [JSON.parse(data).alias, JSON.parse(data).status])).toEqual([
      ['ann', 'offline'],
      ['bob', 'offline'],
    ]);
    expect(await rowsOf(scene, 'SELECT alias, status, marked_offline FROM sessions ORDER BY alias')).toEqual([
      { alias: 'ann', status: 'idle', marked_offline: 1 },
      { alias: 'bob', status: 'idle', marked_offline: 1 },
      { alias: 'carol', status: 'idle', marked_offline: 0 },
    ]);
    expect(await expire(scene.hub)).toMatchObject({ sessions: 0 });
  });

  test('handles more than one batch', async () => {
    const scene = await openScene();
    await Promise.all(Array.from({ length: 600 }, (_, index) => report(scene, `agent ${index}`)));
    scene.hub.clock.advance(TEN_MINUTES + 1);
    expect(await expire(scene.hub)).toMatchObject({ sessions: 600 });
    expect(await rowsOf(scene, 'SELECT DISTINCT marked_offline FROM sessions')).toEqual([{ marked_offline: 1 }]);
  });

  test('skips agents with an unwritten heartbeat, and those that reported offline', async () => {
    const scene = await openScene();
    await report(scene, 'ann');
    await report(scene, 'bob', { status: 'offline' });
    const following = await scene.ask(followEvents, { alias: 'ann' });
    scene.hub.clock.advance(TEN_MINUTES * 6);
    expect(await expire(scene.hub)).toMatchObject({ sessions: 0 });
    following.end();
  });
});

describe('expire, of tasks', () => {
  test('expires due tasks, publishes events, and clears the inboxes', async () => {
    const scene = await openScene();
    for (let index = 0; index < 3; index++) await send(scene, { task: `due ${index}`, ttl_seconds: 60 });
    const later = await send(scene, { task: 'later', ttl_seconds: 61 });
    scene.hub.clock.advance(60_000 - 1);
    expect(await expire(scene.hub)).toMatchObject({ tasks: 0 });
    scene.hub.clock.advance(1);
    const heard = listenTo(scene);
    expect(await expire(scene.hub)).toMatchObject({ tasks: 3 });
    expect(heard.map(({ name, data }) => [name, JSON.parse(data).status])).toEqual([
      ['task', 'expired'],
      ['task', 'expired'],
      ['task', 'expired'],
    ]);
    expect(await rowsOf(scene, 'SELECT pending FROM inboxes')).toEqual([{ pending: 1 }]);
    expect(
      await rowsOf(
        scene,
        "SELECT actor, from_status, count(*) AS count FROM task_events WHERE to_status = 'expired' GROUP BY 1, 2",
      ),
    ).toEqual([{ actor: 'hub', from_status: 'delivered', count: 3 }]);
    expect((await scene.ask(getTask, { task_id: later })).task.status).toBe('delivered');
    expect(await expire(scene.hub)).toMatchObject({ tasks: 0 });
  });

  test('handles more than one batch', async () => {
    const scene = await openScene();
    await Promise.all(
      Array.from({ length: 600 }, (_, index) => send(scene, { task: `task ${index}`, ttl_seconds: 1 })),
    );
    scene.hub.clock.advance(1_000);
    expect(await expire(scene.hub)).toMatchObject({ tasks: 600 });
    expect(await rowsOf(scene, 'SELECT DISTINCT status FROM tasks')).toEqual([{ status: 'expired' }]);
  });

  test('yields to others between batches, and no one can see or move a due task', async () => {
    const scene = await openScene();
    const ids = await Promise.all(
      Array.from({ length: 1_000 }, (_, index) => send(scene, { task: `task ${index}`, ttl_seconds: 1 })),
    );
    scene.hub.clock.advance(1_000);
    let turns = 0;
    const counting = setInterval(() => turns++, 0);
    const [last = ''] = ids.slice(-1);
    const words = await Promise.all([
      wordOf(scene.ask(cancelTask, { task_id: last })),
      scene.ask(listTasks, {}).then(({ stats }) => stats),
      scene.ask(getInbox, { alias: 'bob' }).then(({ messages }) => messages.length),
    ]);
    clearInterval(counting);
    expect(words).toEqual(['task is terminal', [{ status: 'expired', count: 1_000 }], 0]);
    expect(turns).toBeGreaterThanOrEqual(3);
  });

  test('skips a running task of an online assignee', async () => {
    const scene = await openScene();
    await report(scene, 'bob');
    await scene.ask(sendAck, { task_id: await send(scene, { ttl_seconds: 60 }) });
    scene.hub.clock.advance(TEN_MINUTES);
    expect(await expire(scene.hub)).toMatchObject({ tasks: 0 });
    scene.hub.clock.advance(1);
    expect(await expire(scene.hub)).toMatchObject({ tasks: 1 });
  });

  test('skips a running task of an assignee that polled, even before that is written', async () => {
    const scene = await openScene();
    await report(scene, 'bob');
    await scene.ask(sendAck, { task_id: await send(scene, { ttl_seconds: 60 }) });
    await scene.ask(getInbox, { alias: 'bob' });
    scene.hub.clock.advance(14_000);
    await scene.ask(getInbox, { alias: 'bob' });
    scene.hub.clock.advance(TEN_MINUTES);
    expect(await expire(scene.hub)).toMatchObject({ tasks: 0 });
  });

  test('skips a running task of an assignee with an open stream', async () => {
    const scene = await openScene();
    await report(scene, 'bob');
    await scene.ask(sendAck, { task_id: await send(scene, { ttl_seconds: 60 }) });
    const following = await scene.ask(followEvents, { alias: 'bob' });
    scene.hub.clock.advance(TEN_MINUTES * 2);
    expect(await expire(scene.hub)).toMatchObject({ tasks: 0 });
    following.end();
  });
});

test.each([[TEN_MINUTES], [TEN_MINUTES + 1], [3_600_000]])(
  'after %i ms readers see the same whether or not the sweeps ran',
  async (milliseconds) => {
    const [swept, read] = [await openPlay(), await openPlay()];
    for (const scene of [swept, read]) scene.hub.clock.advance(milliseconds);
    await expire(swept.hub);
    expect(await view(read)).toEqual(await view(swept));
    const { events: _, ...before } = await dump(read);
    const { events: __, ...after } = await dump(swept);
    expect(before).toEqual({ ...after, hub: before['hub'] }); // each hub has a different epoch
  },
);

async function openPlay(): Promise<Scene> {
  const scene = await openScene();
  await report(scene, 'bob', { status: 'working' });
  await report(scene, 'carol');
  await scene.ask(sendAck, { task_id: await send(scene, { ttl_seconds: 300 }) });
  for (const ttl_seconds of [300, 601, 4_000])
    await send(scene, { alias: 'carol', task: `within ${ttl_seconds}`, ttl_seconds });
  return scene;
}

describe('write-heartbeats', () => {
  test('writes each heartbeat once, with its own time', async () => {
    const scene = await openScene();
    await report(scene, 'bob');
    await scene.ask(getInbox, { alias: 'bob' });
    scene.hub.clock.advance(5_000);
    await scene.ask(getInbox, { alias: 'bob' });
    const polled = scene.hub.clock.now();
    scene.hub.clock.advance(5_000);
    expect(await writeHeartbeats(scene.hub)).toEqual({ heartbeats: 1 });
    expect(await rowsOf(scene, 'SELECT last_seen_at FROM sessions')).toEqual([{ last_seen_at: polled }]);
    expect(await writeHeartbeats(scene.hub)).toEqual({ heartbeats: 0 });
  });

  test('writes an open stream with the current time, on each run', async () => {
    const scene = await openScene();
    await report(scene, 'bob');
    const following = await scene.ask(followEvents, { alias: 'bob' });
    for (let round = 0; round < 3; round++) {
      scene.hub.clock.advance(15_000);
      expect(await writeHeartbeats(scene.hub)).toEqual({ heartbeats: 1 });
      expect(await rowsOf(scene, 'SELECT last_seen_at FROM sessions')).toEqual([
        { last_seen_at: scene.hub.clock.now() },
      ]);
    }
    following.end();
  });
});

describe('flush-write-behind', () => {
  test('marks pushed messages once, with the first time', async () => {
    const scene = await openScene();
    const task_id = await send(scene);
    const { message_id } = await scene.ask(sendMessage, { alias: 'bob', message: 'hello' });
    for (const id of [task_id, message_id, task_id]) scene.hub.writeBehind.notified(id, scene.hub.clock.now());
    scene.hub.clock.advance(1_000);
    expect(await flushWriteBehind(scene.hub)).toEqual({ notified: 2, used: 0 });
    expect((await scene.ask(getTask, { task_id })).task).toMatchObject({ notified_at: '2026-01-15 12:00:00' });
    scene.hub.clock.advance(1_000);
    scene.hub.writeBehind.notified(task_id, scene.hub.clock.now());
    await flushWriteBehind(scene.hub);
    expect((await scene.ask(getTask, { task_id })).task).toMatchObject({ notified_at: '2026-01-15 12:00:00' });
    expect(await flushWriteBehind(scene.hub)).toEqual({ notified: 0, used: 0 });
  });

  test('handles more marks than fit into one statement', async () => {
    const scene = await openScene();
    const ids = await Promise.all(Array.from({ length: 1_100 }, (_, index) => send(scene, { task: `task ${index}` })));
    ids.forEach((id) => scene.hub.writeBehind.notified(id, scene.hub.clock.now()));
    expect(await flushWriteBehind(scene.hub)).toEqual({ notified: 1_100, used: 0 });
    expect(await rowsOf(scene, 'SELECT count(*) AS count FROM messages WHERE notified_at IS NULL')).toEqual([
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
  const eventsOf = ({ hub, caller: { network_id } }: Scene) =>
    hub.store.read(async (reader) => {
      const { after } = await position(reader);
      return listMissed(reader, { networks: [network_id], alias: undefined, after, limit: 1_000 });
    });

  test('deletes events older than 24 hours, and nothing newer', async () => {
    const scene = await openScene();
    await send(scene);
    scene.hub.clock.advance(1);
    await send(scene);
    scene.hub.clock.advance(DAY_MS);
    await expire(scene.hub);
    const all = await eventsOf(scene);
    const old = all.filter(({ created_at }) => created_at === all[0]?.created_at).length;
    expect(await pruneEvents(scene.hub)).toEqual({ events: old });
    expect(await scene.hub.store.read(position)).toMatchObject({ after: all[old - 1]?.seq, latest: all.at(-1)?.seq });
    expect(await eventsOf(scene)).toEqual(all.slice(old));
    expect(await pruneEvents(scene.hub)).toEqual({ events: 0 });
  });

  test('numbering continues after every event is deleted', async () => {
    const scene = await openScene();
    await send(scene);
    scene.hub.clock.advance(DAY_MS);
    await expire(scene.hub);
    const latest = (await eventsOf(scene)).at(-1);
    scene.hub.clock.advance(DAY_MS + 1);
    await pruneEvents(scene.hub);
    const heard = listenTo(scene);
    await report(scene, 'bob');
    expect(heard.map(({ seq }) => seq)).toEqual([Number(latest?.seq) + 1]);
  });
});
