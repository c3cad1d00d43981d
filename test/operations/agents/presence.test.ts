// Presence: an agent is offline after ten minutes of silence, any heartbeat brings it back, and a restart grants a
// grace period.
import { describe, expect, test } from 'vitest';
import { ackInbox } from '../../../server/operations/agents/ack-inbox.ts';
import { getInbox } from '../../../server/operations/agents/get-inbox.ts';
import { reportCompletion } from '../../../server/operations/agents/report-completion.ts';
import { sendMessage } from '../../../server/operations/messages/send-message.ts';
import { followEvents } from '../../../server/operations/records/follow-events.ts';
import { getAllStatus, listSessions } from '../../../server/operations/sessions/get-all-status.ts';
import { getTask } from '../../../server/operations/tasks/get-task.ts';
import { sendAck } from '../../../server/operations/tasks/send-ack.ts';
import { expire } from '../../../server/sweeps/sweeps.ts';
import { listenTo, openScene, report, restarted, rowsOf, type Scene, send } from '../../support/scene.ts';

const TEN_MINUTES = 600_000;
const MINUTE = 60_000;

/** The status of bob, which every view must agree on. */
async function statusOf(scene: Scene): Promise<string | undefined> {
  const { sessions, summary } = await scene.ask(getAllStatus, {});
  const listed = (await scene.ask(listSessions, {})).sessions;
  const bob = sessions.find(({ alias }) => alias === 'bob');
  expect(listed.find(({ alias }) => alias === 'bob')?.status).toBe(bob?.status);
  expect(summary.reduce((sum, { count }) => sum + count, 0)).toBe(sessions.length);
  return bob?.status;
}

describe('silence', () => {
  test.each([
    [TEN_MINUTES, 'working'],
    [TEN_MINUTES + 1, 'offline'],
  ])('of %i ms: %s', async (silence, status) => {
    const scene = await openScene();
    await report(scene, 'bob', { status: 'working' });
    scene.hub.clock.advance(silence);
    expect(await statusOf(scene)).toBe(status);
  });

  test('is measured with the setting', async () => {
    const scene = await openScene({ offline_after_seconds: 20 });
    await report(scene, 'bob');
    scene.hub.clock.advance(20_000);
    expect(await statusOf(scene)).toBe('idle');
    scene.hub.clock.advance(1);
    expect(await statusOf(scene)).toBe('offline');
  });

  test('is filtered by the status shown', async () => {
    const scene = await openScene();
    await report(scene, 'bob');
    await report(scene, 'carol', { status: 'working' });
    scene.hub.clock.advance(TEN_MINUTES);
    await report(scene, 'carol', { status: 'working' });
    scene.hub.clock.advance(1);
    const aliases = async (filter_status: string) =>
      (await scene.ask(getAllStatus, { filter_status })).sessions.map(({ alias }) => alias);
    expect([await aliases('idle'), await aliases('working'), await aliases('offline')]).toEqual([
      [],
      ['carol'],
      ['bob'],
    ]);
  });

  test('is written and published once, at the next read', async () => {
    const scene = await openScene();
    await report(scene, 'bob');
    scene.hub.clock.advance(TEN_MINUTES + 1);
    const heard = listenTo(scene);
    await statusOf(scene);
    await statusOf(scene);
    expect(heard.map(({ name, data }) => [name, JSON.parse(data).status])).toEqual([['session', 'offline']]);
  });
});

const SIGNS: [string, (scene: Scene) => Promise<unknown>][] = [
  ['get_inbox', (scene) => scene.ask(getInbox, { alias: 'bob' })],
  [
    'ack_inbox',
    async (scene) => {
      const { message_id } = await scene.ask(sendMessage, { alias: 'bob', message: 'hello' });
      await scene.ask(ackInbox, { alias: 'bob', message_id });
    },
  ],
  ['an open stream', (scene) => scene.ask(followEvents, { alias: 'bob' })],
];

describe('a heartbeat', () => {
  test.each(SIGNS)('%s restores the last reported status', async (_, give) => {
    const scene = await openScene();
    await report(scene, 'bob', { status: 'waiting_input' });
    scene.hub.clock.advance(TEN_MINUTES + 1);
    await expire(scene.hub);
    expect(await statusOf(scene)).toBe('offline');
    const heard = listenTo(scene);
    await give(scene);
    expect(await statusOf(scene)).toBe('waiting_input');
    expect(new Set(heard.filter(({ name }) => name === 'session').map(({ data }) => JSON.parse(data).status))).toEqual(
      new Set(['waiting_input']),
    );
  });

  test.each(SIGNS)('%s keeps the agent online for ten more minutes', async (_, give) => {
    const scene = await openScene();
    await report(scene, 'bob');
    scene.hub.clock.advance(TEN_MINUTES);
    const following = await give(scene);
    if (
      typeof following === 'object' &&
      following !== null &&
      'end' in following &&
      typeof following.end === 'function'
    )
      following.end();
    scene.hub.clock.advance(TEN_MINUTES);
    expect(await statusOf(scene)).toBe('idle');
    scene.hub.clock.advance(1);
    expect(await statusOf(scene)).toBe('offline');
  });

  test.each(SIGNS)(
    '%s does not undo a self-reported offline status, while a report or a completion does',
    async (_, give) => {
      const scene = await openScene();
      await report(scene, 'bob', { status: 'offline' });
      scene.hub.clock.advance(MINUTE);
      await give(scene);
      expect(await statusOf(scene)).toBe('offline');
      await scene.ask(reportCompletion, { alias: 'bob', task: 'it', result: 'done' });
      expect(await statusOf(scene)).toBe('idle');
      await report(scene, 'bob', { status: 'offline' });
      await report(scene, 'bob', { status: 'blocked' });
      expect(await statusOf(scene)).toBe('blocked');
    },
  );

  test('an open stream counts continuously', async () => {
    const scene = await openScene();
    await report(scene, 'bob');
    const following = await scene.ask(followEvents, { alias: 'bob' });
    for (let hour = 0; hour < 5; hour++) {
      scene.hub.clock.advance(60 * MINUTE);
      expect(await statusOf(scene)).toBe('idle');
    }
    following.end();
    scene.hub.clock.advance(TEN_MINUTES + 1);
    expect(await statusOf(scene)).toBe('offline');
  });

  test('of two open streams, the last one counts', async () => {
    const scene = await openScene();
    await report(scene, 'bob');
    const [one, other] = [
      await scene.ask(followEvents, { alias: 'bob' }),
      await scene.ask(followEvents, { alias: 'bob' }),
    ];
    one.end();
    scene.hub.clock.advance(60 * MINUTE);
    expect(await statusOf(scene)).toBe('idle');
    other.end();
    scene.hub.clock.advance(TEN_MINUTES + 1);
    expect(await statusOf(scene)).toBe('offline');
  });

  test('polling every second writes at most every 15 seconds, and last_seen_at is never later than that', async () => {
    const scene = await openScene();
    await report(scene, 'bob');
    const written = new Set<unknown>();
    for (let second = 0; second < 60; second++) {
      scene.hub.clock.advance(1_000);
      await scene.ask(getInbox, { alias: 'bob' });
      const [row] = await rowsOf(scene, 'SELECT last_seen_at FROM sessions');
      written.add(row?.['last_seen_at']);
      expect(scene.hub.clock.now() - Number(row?.['last_seen_at'])).toBeLessThanOrEqual(15_000);
    }
    expect(written.size).toBeLessThanOrEqual(5);
  });

  test('counts for offline detection before it is written', async () => {
    const scene = await openScene();
    await report(scene, 'bob');
    await scene.ask(getInbox, { alias: 'bob' });
    scene.hub.clock.advance(14_000);
    await scene.ask(getInbox, { alias: 'bob' });
    scene.hub.clock.advance(TEN_MINUTES);
    expect(await statusOf(scene)).toBe('idle');
    scene.hub.clock.advance(1);
    expect(await statusOf(scene)).toBe('offline');
  });
});

describe('after a restart', () => {
  async function openAfterAnHour(): Promise<Scene> {
    const before = await openScene();
    await report(before, 'bob', { status: 'working' });
    before.hub.clock.advance(60 * MINUTE);
    return restarted(before);
  }

  test('online agents have a grace period of three minutes', async () => {
    const scene = await openAfterAnHour();
    expect(await statusOf(scene)).toBe('working');
    scene.hub.clock.advance(3 * MINUTE - 1);
    expect(await expire(scene.hub)).toMatchObject({ sessions: 0 });
    expect(await statusOf(scene)).toBe('working');
    scene.hub.clock.advance(1);
    expect(await statusOf(scene)).toBe('offline');
  });

  test('agents that report in time stay online', async () => {
    const scene = await openAfterAnHour();
    scene.hub.clock.advance(2 * MINUTE);
    await report(scene, 'bob', { status: 'working' });
    scene.hub.clock.advance(2 * MINUTE);
    expect(await statusOf(scene)).toBe('working');
  });

  test('agents that were offline before stay offline', async () => {
    const before = await openScene();
    await report(before, 'bob');
    before.hub.clock.advance(TEN_MINUTES + 1);
    expect(await statusOf(before)).toBe('offline');
    expect(await statusOf(await restarted(before))).toBe('offline');
  });

  test('a running task does not expire during the grace period of its assignee', async () => {
    const before = await openScene();
    await report(before, 'bob');
    const task_id = await send(before, { ttl_seconds: 60 });
    await before.ask(sendAck, { task_id });
    before.hub.clock.advance(60 * MINUTE);
    const scene = await restarted(before);
    const status = async () => (await scene.ask(getTask, { task_id })).task.status;
    scene.hub.clock.advance(3 * MINUTE - 1);
    expect(await status()).toBe('running');
    scene.hub.clock.advance(1);
    expect(await status()).toBe('expired');
  });
});

describe('after the machine sleeps or its clock jumps', () => {
  const asleep = async (): Promise<Scene> => {
    const scene = await openScene();
    await report(scene, 'bob', { status: 'working' });
    scene.hub.clock.jump(8 * 60 * MINUTE);
    return scene;
  };

  test('known agents stay online for three minutes', async () => {
    const scene = await asleep();
    expect(await statusOf(scene)).toBe('working');
    scene.hub.clock.advance(3 * MINUTE - 1);
    expect(await statusOf(scene)).toBe('working');
    scene.hub.clock.advance(1);
    expect(await statusOf(scene)).toBe('offline');
  });

  test('expired items are expired', async () => {
    const scene = await openScene();
    const taskId = await send(scene, { ttl_seconds: 60 });
    scene.hub.clock.jump(8 * 60 * MINUTE);
    expect((await scene.ask(getTask, { task_id: taskId })).task.status).toBe('expired');
  });
});

describe('after the clock was set back', () => {
  const setBack = async (): Promise<Scene> => {
    const scene = await openScene();
    scene.hub.clock.jump(24 * 365 * 60 * MINUTE);
    await send(scene, { task: 'while it was wrong' });
    scene.hub.clock.jump(-24 * 365 * 60 * MINUTE);
    return scene;
  };

  test('silent agents go offline and items expire at the usual speed', async () => {
    const scene = await setBack();
    await report(scene, 'bob', { status: 'working' });
    const taskId = await send(scene, { alias: 'carl', ttl_seconds: 60 });
    scene.hub.clock.advance(59_000);
    expect((await scene.ask(getTask, { task_id: taskId })).task.status).toBe('delivered');
    scene.hub.clock.advance(2_000);
    expect((await scene.ask(getTask, { task_id: taskId })).task.status).toBe('expired');
    scene.hub.clock.advance(TEN_MINUTES);
    expect(await statusOf(scene)).toBe('offline');
  });

  test('records keep their order, also across a restart', async () => {
    const before = await setBack();
    await send(before, { task: 'after it was set right' });
    before.hub.clock.advance(MINUTE);
    const scene = await restarted(before);
    await send(scene, { task: 'after a restart' });
    const rows = (await rowsOf(scene, 'SELECT content, created_at FROM tasks ORDER BY created_at, task_seq')) as {
      content: string;
      created_at: number;
    }[];
    expect(rows.map(({ content }) => content)).toEqual([
      'while it was wrong',
      'after it was set right',
      'after a restart',
    ]);
    expect(scene.hub.clock.now()).toBeGreaterThanOrEqual(rows.at(-1)?.created_at ?? Infinity);
  });

  test('a session last seen in the future goes offline after a restart', async () => {
    const before = await setBack();
    await report(before, 'bob', { status: 'working' });
    const scene = await restarted(before);
    scene.hub.clock.advance(TEN_MINUTES + 10_000);
    expect(await statusOf(scene)).toBe('offline');
  });
});
