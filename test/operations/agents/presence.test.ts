// Presence: an agent is offline after ten minutes of silence, any heartbeat brings it back, and a restart grants a
// grace period.
import { describe, expect, test } from 'vitest';
import { ackInbox } from '../../../server/operations/agents/ack-inbox.ts';
import { getInbox } from '../../../server/operations/agents/get-inbox.ts';
import { reportCompletion } from '../../../server/operations/agents/report-completion.ts';
import { sendMessage } from '../../../server/operations/messages/send-message.ts';
import { followEvents } from '../../../server/operations/records/follow-events.ts';
import { getAllStatus, listSessions } from '../../../server/operations/sessions/get-all-status.ts';
import { getSessionStatus } from '../../../server/operations/sessions/get-session-status.ts';
import { getTask } from '../../../server/operations/tasks/get-task.ts';
import { sendAck } from '../../../server/operations/tasks/send-ack.ts';
import { expire } from '../../../server/sweeps/sweeps.ts';
import { type Fixture, listenTo, openFixture, report, restarted, rowsOf, send } from '../../support/fixture.ts';

const TEN_MINUTES = 600_000;
const MINUTE = 60_000;

/** The status of bob, which every view must agree on. */
async function statusOf(fixture: Fixture): Promise<string | undefined> {
  const { sessions, summary } = await fixture.ask(getAllStatus, {});
  const listed = (await fixture.ask(listSessions, {})).sessions;
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
    const fixture = await openFixture();
    await report(fixture, 'bob', { status: 'working' });
    fixture.hub.clock.advance(silence);
    expect(await statusOf(fixture)).toBe(status);
  });

  test('is measured with the setting', async () => {
    const fixture = await openFixture({ offline_after_seconds: 20 });
    await report(fixture, 'bob');
    fixture.hub.clock.advance(20_000);
    expect(await statusOf(fixture)).toBe('idle');
    fixture.hub.clock.advance(1);
    expect(await statusOf(fixture)).toBe('offline');
  });

  test('is shown since the last heartbeat, whether stored yet or not', async () => {
    const fixture = await openFixture();
    await report(fixture, 'bob');
    const seenAt = async () => [
      (await fixture.ask(listSessions, {})).sessions[0]?.last_seen_at,
      (await fixture.ask(getAllStatus, {})).sessions[0]?.last_seen_at,
      (await fixture.ask(getSessionStatus, { alias: 'bob' })).session.last_seen_at,
    ];
    const [start] = await seenAt();
    for (const seconds of [20, 28]) {
      fixture.hub.clock.advance((seconds - (seconds === 28 ? 20 : 0)) * 1_000);
      await fixture.ask(getInbox, { alias: 'bob' });
      const expected = Date.parse(`${start?.replace(' ', 'T')}Z`) + seconds * 1_000;
      for (const at of await seenAt()) expect(Date.parse(`${at?.replace(' ', 'T')}Z`)).toBe(expected);
    }
  });

  test('is filtered by the status shown', async () => {
    const fixture = await openFixture();
    await report(fixture, 'bob');
    await report(fixture, 'carol', { status: 'working' });
    fixture.hub.clock.advance(TEN_MINUTES);
    await report(fixture, 'carol', { status: 'working' });
    fixture.hub.clock.advance(1);
    const aliases = async (filter_status: string) =>
      (await fixture.ask(getAllStatus, { filter_status })).sessions.map(({ alias }) => alias);
    expect([await aliases('idle'), await aliases('working'), await aliases('offline')]).toEqual([
      [],
      ['carol'],
      ['bob'],
    ]);
  });

  test('keeps what the agent reported last, until it is back', async () => {
    const fixture = await openFixture();
    await report(fixture, 'bob', { status: 'waiting_input' });
    await report(fixture, 'carol', { status: 'offline' });
    const received = listenTo(fixture);
    const listed = async () =>
      (await fixture.ask(listSessions, {})).sessions.map(({ alias, status, last_status }) => [
        alias,
        status,
        last_status,
      ]);
    expect(await listed()).toContainEqual(['bob', 'waiting_input', undefined]);
    fixture.hub.clock.advance(TEN_MINUTES + 1);
    expect(await listed()).toContainEqual(['bob', 'offline', 'waiting_input']);
    expect(await listed()).toContainEqual(['carol', 'offline', undefined]);
    expect(received.map(({ data }) => JSON.parse(data))).toMatchObject([
      { alias: 'bob', last_status: 'waiting_input' },
    ]);
    await report(fixture, 'bob', { status: 'idle' });
    expect(await listed()).toContainEqual(['bob', 'idle', undefined]);
  });

  test('keeps what an agent reported before it left by its own report', async () => {
    const fixture = await openFixture();
    const waits = { status: 'waiting_input', output: 'Which color?' } as const;
    const shown = async () => {
      const [session] = (await fixture.ask(listSessions, {})).sessions;
      return [session?.status, session?.last_status];
    };
    await report(fixture, 'bob', waits);
    const progressed = async () => (await fixture.ask(listSessions, {})).sessions[0]?.last_progress_at;
    const asked = await progressed();
    fixture.hub.clock.advance(1_000);
    await report(fixture, 'bob', { status: 'offline' });
    await report(fixture, 'bob', { status: 'offline' });
    expect([await shown(), await progressed()]).toEqual([['offline', 'waiting_input'], asked]);
    await report(fixture, 'bob', waits);
    expect([await shown(), await progressed()]).toEqual([['waiting_input', undefined], asked]);
    await report(fixture, 'bob', { status: 'idle' });
    await report(fixture, 'bob', { status: 'offline' });
    expect(await shown()).toEqual(['offline', 'idle']);
  });

  test('is no progress of an agent that is back and still waits as before', async () => {
    const fixture = await openFixture();
    const waits = { status: 'waiting_input', output: 'Which color?' } as const;
    const progressed = async () => (await fixture.ask(listSessions, {})).sessions[0]?.last_progress_at;
    await report(fixture, 'bob', waits);
    const before = await progressed();
    fixture.hub.clock.advance(TEN_MINUTES + 1);
    expect(await statusOf(fixture)).toBe('offline');
    await report(fixture, 'bob', waits);
    expect([await statusOf(fixture), await progressed()]).toEqual(['waiting_input', before]);
    fixture.hub.clock.advance(TEN_MINUTES + 1);
    await statusOf(fixture);
    await report(fixture, 'bob', { ...waits, output: 'And the door?' });
    expect(await progressed()).not.toBe(before);
  });

  test('is written and published once, at the next read', async () => {
    const fixture = await openFixture();
    await report(fixture, 'bob');
    fixture.hub.clock.advance(TEN_MINUTES + 1);
    const received = listenTo(fixture);
    await statusOf(fixture);
    await statusOf(fixture);
    expect(received.map(({ name, data }) => [name, JSON.parse(data).status])).toEqual([['session', 'offline']]);
  });
});

const HEARTBEATS: [string, (fixture: Fixture) => Promise<unknown>][] = [
  ['get_inbox', (fixture) => fixture.ask(getInbox, { alias: 'bob' })],
  [
    'ack_inbox',
    async (fixture) => {
      const { message_id } = await fixture.ask(sendMessage, { alias: 'bob', message: 'hello' });
      await fixture.ask(ackInbox, { alias: 'bob', message_id });
    },
  ],
  ['an open stream', (fixture) => fixture.ask(followEvents, { alias: 'bob' })],
];

describe('a heartbeat', () => {
  test.each(HEARTBEATS)('%s restores the last reported status', async (_, give) => {
    const fixture = await openFixture();
    await report(fixture, 'bob', { status: 'waiting_input' });
    fixture.hub.clock.advance(TEN_MINUTES + 1);
    await expire(fixture.hub);
    expect(await statusOf(fixture)).toBe('offline');
    const events = listenTo(fixture);
    await give(fixture);
    expect(await statusOf(fixture)).toBe('waiting_input');
    expect(new Set(events.filter(({ name }) => name === 'session').map(({ data }) => JSON.parse(data).status))).toEqual(
      new Set(['waiting_input']),
    );
  });

  test.each(HEARTBEATS)('%s keeps the agent online for ten more minutes', async (_, give) => {
    const fixture = await openFixture();
    await report(fixture, 'bob');
    fixture.hub.clock.advance(TEN_MINUTES);
    const following = await give(fixture);
    if (
      typeof following === 'object' &&
      following !== null &&
      'end' in following &&
      typeof following.end === 'function'
    )
      following.end();
    fixture.hub.clock.advance(TEN_MINUTES);
    expect(await statusOf(fixture)).toBe('idle');
    fixture.hub.clock.advance(1);
    expect(await statusOf(fixture)).toBe('offline');
  });

  test.each(HEARTBEATS)(
    '%s does not undo a self-reported offline status, while a report or a completion does',
    async (_, give) => {
      const fixture = await openFixture();
      await report(fixture, 'bob', { status: 'offline' });
      fixture.hub.clock.advance(MINUTE);
      await give(fixture);
      expect(await statusOf(fixture)).toBe('offline');
      await fixture.ask(reportCompletion, { alias: 'bob', task: 'it', result: 'done' });
      expect(await statusOf(fixture)).toBe('idle');
      await report(fixture, 'bob', { status: 'offline' });
      await report(fixture, 'bob', { status: 'blocked' });
      expect(await statusOf(fixture)).toBe('blocked');
    },
  );

  test('an open stream counts continuously', async () => {
    const fixture = await openFixture();
    await report(fixture, 'bob');
    const following = await fixture.ask(followEvents, { alias: 'bob' });
    for (let hour = 0; hour < 5; hour++) {
      fixture.hub.clock.advance(60 * MINUTE);
      expect(await statusOf(fixture)).toBe('idle');
    }
    following.end();
    fixture.hub.clock.advance(TEN_MINUTES + 1);
    expect(await statusOf(fixture)).toBe('offline');
  });

  test('of two open streams, the last one counts', async () => {
    const fixture = await openFixture();
    await report(fixture, 'bob');
    const [one, other] = [
      await fixture.ask(followEvents, { alias: 'bob' }),
      await fixture.ask(followEvents, { alias: 'bob' }),
    ];
    one.end();
    fixture.hub.clock.advance(60 * MINUTE);
    expect(await statusOf(fixture)).toBe('idle');
    other.end();
    fixture.hub.clock.advance(TEN_MINUTES + 1);
    expect(await statusOf(fixture)).toBe('offline');
  });

  test('polling every second writes at most every 15 seconds, and last_seen_at is never later than that', async () => {
    const fixture = await openFixture();
    await report(fixture, 'bob');
    const written = new Set<unknown>();
    for (let second = 0; second < 60; second++) {
      fixture.hub.clock.advance(1_000);
      await fixture.ask(getInbox, { alias: 'bob' });
      const [row] = await rowsOf(fixture, 'SELECT last_seen_at FROM sessions');
      written.add(row?.['last_seen_at']);
      expect(fixture.hub.clock.now() - Number(row?.['last_seen_at'])).toBeLessThanOrEqual(15_000);
    }
    expect(written.size).toBeLessThanOrEqual(5);
  });

  test('counts for offline detection before it is written', async () => {
    const fixture = await openFixture();
    await report(fixture, 'bob');
    await fixture.ask(getInbox, { alias: 'bob' });
    fixture.hub.clock.advance(14_000);
    await fixture.ask(getInbox, { alias: 'bob' });
    fixture.hub.clock.advance(TEN_MINUTES);
    expect(await statusOf(fixture)).toBe('idle');
    fixture.hub.clock.advance(1);
    expect(await statusOf(fixture)).toBe('offline');
  });
});

describe('after a restart', () => {
  async function openAfterAnHour(): Promise<Fixture> {
    const before = await openFixture();
    await report(before, 'bob', { status: 'working' });
    before.hub.clock.advance(60 * MINUTE);
    return restarted(before);
  }

  test('online agents have a grace period of three minutes', async () => {
    const fixture = await openAfterAnHour();
    expect(await statusOf(fixture)).toBe('working');
    fixture.hub.clock.advance(3 * MINUTE - 1);
    expect(await expire(fixture.hub)).toMatchObject({ sessions: 0 });
    expect(await statusOf(fixture)).toBe('working');
    fixture.hub.clock.advance(1);
    expect(await statusOf(fixture)).toBe('offline');
  });

  test('agents that report in time stay online', async () => {
    const fixture = await openAfterAnHour();
    fixture.hub.clock.advance(2 * MINUTE);
    await report(fixture, 'bob', { status: 'working' });
    fixture.hub.clock.advance(2 * MINUTE);
    expect(await statusOf(fixture)).toBe('working');
  });

  test('agents that were offline before stay offline', async () => {
    const before = await openFixture();
    await report(before, 'bob');
    before.hub.clock.advance(TEN_MINUTES + 1);
    expect(await statusOf(before)).toBe('offline');
    expect(await statusOf(await restarted(before))).toBe('offline');
  });

  test('a running task does not expire during the grace period of its assignee', async () => {
    const before = await openFixture();
    await report(before, 'bob');
    const task_id = await send(before, { ttl_seconds: 60 });
    await before.ask(sendAck, { task_id });
    before.hub.clock.advance(60 * MINUTE);
    const fixture = await restarted(before);
    const status = async () => (await fixture.ask(getTask, { task_id })).task.status;
    fixture.hub.clock.advance(3 * MINUTE - 1);
    expect(await status()).toBe('running');
    fixture.hub.clock.advance(1);
    expect(await status()).toBe('expired');
  });
});

describe('after the machine sleeps or its clock jumps', () => {
  const asleep = async (): Promise<Fixture> => {
    const fixture = await openFixture();
    await report(fixture, 'bob', { status: 'working' });
    fixture.hub.clock.jump(8 * 60 * MINUTE);
    return fixture;
  };

  test('known agents stay online for three minutes', async () => {
    const fixture = await asleep();
    expect(await statusOf(fixture)).toBe('working');
    fixture.hub.clock.advance(3 * MINUTE - 1);
    expect(await statusOf(fixture)).toBe('working');
    fixture.hub.clock.advance(1);
    expect(await statusOf(fixture)).toBe('offline');
  });

  test('expired items are expired', async () => {
    const fixture = await openFixture();
    const taskId = await send(fixture, { ttl_seconds: 60 });
    fixture.hub.clock.jump(8 * 60 * MINUTE);
    expect((await fixture.ask(getTask, { task_id: taskId })).task.status).toBe('expired');
  });
});

describe('after the clock was set back', () => {
  const setBack = async (): Promise<Fixture> => {
    const fixture = await openFixture();
    fixture.hub.clock.jump(24 * 365 * 60 * MINUTE);
    await send(fixture, { task: 'while it was wrong' });
    fixture.hub.clock.jump(-24 * 365 * 60 * MINUTE);
    return fixture;
  };

  test('silent agents go offline and items expire at the usual speed', async () => {
    const fixture = await setBack();
    await report(fixture, 'bob', { status: 'working' });
    const taskId = await send(fixture, { alias: 'carl', ttl_seconds: 60 });
    fixture.hub.clock.advance(59_000);
    expect((await fixture.ask(getTask, { task_id: taskId })).task.status).toBe('delivered');
    fixture.hub.clock.advance(2_000);
    expect((await fixture.ask(getTask, { task_id: taskId })).task.status).toBe('expired');
    fixture.hub.clock.advance(TEN_MINUTES);
    expect(await statusOf(fixture)).toBe('offline');
  });

  test('records keep their order, also across a restart', async () => {
    const before = await setBack();
    await send(before, { task: 'after it was set right' });
    before.hub.clock.advance(MINUTE);
    const fixture = await restarted(before);
    await send(fixture, { task: 'after a restart' });
    const rows = (await rowsOf(fixture, 'SELECT content, created_at FROM tasks ORDER BY created_at, task_seq')) as {
      content: string;
      created_at: number;
    }[];
    expect(rows.map(({ content }) => content)).toEqual([
      'while it was wrong',
      'after it was set right',
      'after a restart',
    ]);
    expect(fixture.hub.clock.now()).toBeGreaterThanOrEqual(rows.at(-1)?.created_at ?? Infinity);
  });

  test('a session last seen in the future goes offline after a restart', async () => {
    const before = await setBack();
    await report(before, 'bob', { status: 'working' });
    const fixture = await restarted(before);
    fixture.hub.clock.advance(TEN_MINUTES + 10_000);
    expect(await statusOf(fixture)).toBe('offline');
  });
});
