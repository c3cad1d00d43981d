// Running tasks whose agent went offline or is idle: their agent is notified once, two minutes later.
// And agents that go offline while they work on anything else.
import { describe, expect, test } from 'vitest';
import { catchUp } from '../../server/operations/expiry.ts';
import { sendReply } from '../../server/operations/messages/send-reply.ts';
import { cancelTask } from '../../server/operations/tasks/cancel-task.ts';
import { sendAck } from '../../server/operations/tasks/send-ack.ts';
import { report, send } from '../support/fixture.ts';
import {
  bodies,
  type NotifierFixture,
  notify,
  openNotifierFixture,
  restartedNotifierFixture,
  sweep,
} from '../support/notifier-fixture.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const titles = (fixture: NotifierFixture): unknown[] => bodies(fixture).map(({ title }) => title);
const IDLE = 'bob is idle with a running task';
const OFFLINE = 'bob is offline with a running task';

const start = async (fixture: NotifierFixture): Promise<string> => {
  const task_id = await send(fixture);
  await fixture.ask(sendAck, { task_id, from_session: 'bob' });
  return task_id;
};

/** Bob works on a task, and the hub has been up for an hour. */
async function openWork(triggers: readonly string[] = ['stuck']) {
  const fixture = await openNotifierFixture({ offline_after_seconds: 60 });
  fixture.hub.clock.advance(HOUR);
  await notify(fixture, { triggers });
  await report(fixture, 'bob', { status: 'working' });
  const task_id = await start(fixture);
  await sweep(fixture);
  return { fixture, task_id };
}

/** The hub checks every fifteen seconds. Bob reports this status meanwhile, or nothing. */
async function pass(fixture: NotifierFixture, minutes: number, status?: string): Promise<void> {
  for (let step = 0; step < 4 * minutes; step += 1) {
    fixture.hub.clock.advance(MINUTE / 4);
    if (status !== undefined) await report(fixture, 'bob', { status });
    await catchUp(fixture.hub);
    await sweep(fixture);
  }
}

test('an agent that is idle without a reply is notified once', async () => {
  const { fixture, task_id } = await openWork();
  await report(fixture, 'bob', { status: 'idle' });
  await pass(fixture, 1, 'idle');
  expect(titles(fixture)).toEqual([]);
  await pass(fixture, 10, 'idle');
  expect(bodies(fixture)).toMatchObject([
    { trigger: 'stuck', title: IDLE, text: 'build it', link: `/tasks/${task_id}`, alias: 'bob' },
  ]);
  await report(fixture, 'bob', { status: 'working' });
  await pass(fixture, 3, 'idle');
  expect(titles(fixture)).toEqual([IDLE, IDLE]);
});

test('an agent that goes offline is notified once, with all its tasks', async () => {
  const { fixture } = await openWork();
  await start(fixture);
  await pass(fixture, 20);
  expect(titles(fixture)).toEqual(['bob is offline with 2 running tasks']);
});

describe('an agent that works on something else', () => {
  const LOST = 'bob went offline while it worked';

  async function openOther(status = 'working'): Promise<NotifierFixture> {
    const { fixture, task_id } = await openWork();
    await fixture.ask(sendReply, { alias: 'alice', text: 'done', in_reply_to: task_id, from_session: 'bob' });
    await pass(fixture, 1, 'working');
    await report(fixture, 'bob', { status, task: 'Paint the fence' });
    return fixture;
  }

  test('is notified once when it goes offline, and again the next time', async () => {
    const fixture = await openOther();
    await pass(fixture, 20);
    expect(bodies(fixture)).toMatchObject([
      { trigger: 'stuck', title: LOST, text: 'Paint the fence', link: '/agents/bob', alias: 'bob' },
    ]);
    await pass(fixture, 1, 'working');
    await pass(fixture, 20);
    expect(titles(fixture)).toEqual([LOST, LOST]);
  });

  test.each(['idle', 'offline'])('is not if it reported %s', async (status) => {
    const fixture = await openOther(status);
    await pass(fixture, 20);
    expect(titles(fixture)).toEqual([]);
  });

  test('is not while it holds a task, which is reported itself, or when that was cancelled', async () => {
    const fixture = await openOther();
    const task_id = await start(fixture);
    await pass(fixture, 20);
    expect(titles(fixture)).toEqual([OFFLINE]);
    await fixture.ask(cancelTask, { task_id, from_session: 'alice' });
    await pass(fixture, 2);
    expect(titles(fixture)).toEqual([OFFLINE]);
  });
});

test('an agent that replies is not', async () => {
  const { fixture, task_id } = await openWork();
  await report(fixture, 'bob', { status: 'idle' });
  await pass(fixture, 1, 'idle');
  await fixture.ask(sendReply, { alias: 'alice', text: 'done', in_reply_to: task_id, from_session: 'bob' });
  await pass(fixture, 5, 'idle');
  expect(titles(fixture)).toEqual([]);
});

test('an agent that starts its next task while it is idle is not', async () => {
  const { fixture, task_id } = await openWork();
  await fixture.ask(sendReply, { alias: 'alice', text: 'done', in_reply_to: task_id, from_session: 'bob' });
  await report(fixture, 'bob', { status: 'idle' });
  fixture.hub.clock.advance(MINUTE / 2);
  await start(fixture);
  await pass(fixture, 5, 'idle');
  expect(titles(fixture)).toEqual([]);
});

test('a notifier without this trigger reports nothing', async () => {
  const { fixture } = await openWork(['blocked']);
  await pass(fixture, 20);
  expect(titles(fixture)).toEqual([]);
});

test('after a restart, agents get time to report; those that went while the hub was down are notified', async () => {
  const { fixture } = await openWork();
  fixture.hub.clock.advance(20 * MINUTE);
  const again = await restartedNotifierFixture(fixture);
  await pass(again, 3);
  expect(titles(again)).toEqual([]);
  await pass(again, 20);
  expect(titles(again)).toEqual([OFFLINE]);
});

test('after a restart, an agent is not notified again', async () => {
  const { fixture } = await openWork();
  await pass(fixture, 20);
  const again = await restartedNotifierFixture(fixture);
  await pass(again, 20);
  expect(titles(again)).toEqual([OFFLINE]);
});
