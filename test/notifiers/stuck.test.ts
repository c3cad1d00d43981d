// Stuck agents: working, but without progress for ten minutes. Each is notified once until it makes progress.
import { describe, expect, test } from 'vitest';
import { getInbox } from '../../server/operations/agents/get-inbox.ts';
import { sendReply } from '../../server/operations/messages/send-reply.ts';
import { updateNotifier } from '../../server/operations/notifiers/update-notifier.ts';
import { sendAck } from '../../server/operations/tasks/send-ack.ts';
import { as, report, rowsOf, send } from '../support/fixture.ts';
import { NOON } from '../support/manual-clock.ts';
import {
  bodies,
  type NotifierFixture,
  notify,
  openNotifierFixture,
  restartedNotifierFixture,
  sweep,
} from '../support/notifier-fixture.ts';
import { foundNetwork } from '../support/test-hub.ts';

const MINUTE = 60_000;
const HOUR = 3_600_000;

const titles = (fixture: NotifierFixture): unknown[] => bodies(fixture).map(({ title }) => title);
const STUCK = 'bob is stuck: no progress for 10 min';

const work = (fixture: NotifierFixture, rest: object = {}, alias = 'bob') =>
  report(fixture, alias, { status: 'working', task: 'build', ...rest });

/** Ten minutes pass in which bob reports twice, without progress. */
async function stall(fixture: NotifierFixture, minutes = 10): Promise<void> {
  fixture.hub.clock.advance(5 * MINUTE);
  await work(fixture);
  fixture.hub.clock.advance((minutes - 5) * MINUTE);
  await work(fixture);
}

/** Bob works, and the hub has been up for an hour. */
async function openStall(notifier: object = {}): Promise<NotifierFixture> {
  const fixture = await openNotifierFixture();
  fixture.hub.clock.advance(HOUR);
  await notify(fixture, { triggers: ['stuck'], ...notifier });
  await work(fixture);
  return fixture;
}

test('an agent that works without progress for ten minutes is notified once', async () => {
  const fixture = await openStall();
  fixture.hub.clock.advance(5 * MINUTE);
  await work(fixture, { output: 'step 1\ncompiling' });
  await stall(fixture, 9);
  await sweep(fixture);
  expect(titles(fixture)).toEqual([]);
  fixture.hub.clock.advance(MINUTE);
  await sweep(fixture);
  await sweep(fixture);
  await stall(fixture);
  await sweep(fixture);
  expect(bodies(fixture)).toMatchObject([
    { trigger: 'stuck', title: STUCK, text: 'compiling', link: '/agents/bob', alias: 'bob' },
  ]);
});

test('it is notified again when it is stuck again after progress, by report or by task', async () => {
  const fixture = await openStall();
  await stall(fixture);
  await sweep(fixture);
  await work(fixture, { progress: 10 });
  await sweep(fixture);
  await stall(fixture);
  await sweep(fixture);
  expect(titles(fixture)).toEqual([STUCK, STUCK]);
  await fixture.ask(sendAck, { task_id: await send(fixture), from_session: 'bob' });
  await sweep(fixture);
  await stall(fixture);
  await sweep(fixture);
  expect(titles(fixture)).toEqual([STUCK, STUCK, STUCK]);
});

describe('progress is also', () => {
  test.each<[string, (fixture: NotifierFixture, task_id: string) => Promise<unknown>]>([
    ['the start of a task', (fixture, task_id) => fixture.ask(sendAck, { task_id, from_session: 'bob' })],
    [
      'the reply to a task',
      (fixture, in_reply_to) =>
        fixture.ask(sendReply, { alias: 'alice', text: 'done', in_reply_to, from_session: 'bob' }),
    ],
    ['another status', (fixture) => report(fixture, 'bob', { status: 'idle' })],
  ])('%s', async (_, act) => {
    const fixture = await openStall();
    const task_id = await send(fixture);
    await stall(fixture, 8);
    await act(fixture, task_id);
    fixture.hub.clock.advance(3 * MINUTE);
    await fixture.ask(getInbox, { alias: 'bob' });
    await sweep(fixture);
    expect(titles(fixture)).toEqual([]);
  });
});

test('an agent that went silent is offline, not stuck', async () => {
  const fixture = await openStall();
  fixture.hub.clock.advance(10 * MINUTE + 1);
  await sweep(fixture);
  expect(titles(fixture)).toEqual([]);
});

test('a restart of the hub does not notify twice, nor of agents that had no time to report', async () => {
  const before = await openStall();
  await stall(before);
  await sweep(before);
  expect(titles(before)).toEqual([STUCK]);
  await work(before, {}, 'carol');
  const fixture = await restartedNotifierFixture(before);
  await sweep(fixture);
  fixture.hub.clock.advance(20 * MINUTE);
  const again = await restartedNotifierFixture(fixture);
  for (const alias of ['bob', 'carol']) await work(again, {}, alias);
  await sweep(again);
  again.hub.clock.advance(2 * MINUTE);
  await work(again);
  await work(again, { progress: 50 }, 'carol');
  await sweep(again);
  again.hub.clock.advance(2 * MINUTE);
  await sweep(again);
  expect(titles(again)).toEqual([STUCK]);
});

test('quiet hours hold it back, and a later enabled notifier does not report it', async () => {
  const fixture = await openStall({ quiet_from: '12:30', quiet_until: '14:00' });
  const late = await notify(fixture, { triggers: ['stuck'], enabled: false });
  await stall(fixture);
  await sweep(fixture);
  await fixture.user.ask(updateNotifier, { notifier_id: late.notifier_id, enabled: true });
  await sweep(fixture);
  expect(titles(fixture)).toEqual([]);
  fixture.hub.clock.set(NOON + 2 * HOUR);
  await sweep(fixture);
  expect(titles(fixture)).toEqual([STUCK]);
});

test('the rate limit combines many stuck agents into one summary', async () => {
  const fixture = await openStall({ rate_limit: 2 });
  for (let index = 0; index < 149; index++) await work(fixture, {}, `agent ${index}`);
  fixture.hub.clock.advance(10 * MINUTE);
  await sweep(fixture);
  expect(titles(fixture)).toHaveLength(2);
  fixture.hub.clock.advance(10 * MINUTE);
  await sweep(fixture);
  expect(bodies(fixture)[2]).toMatchObject({ type: 'summary', text: '148 agents are stuck', counts: { stuck: 148 } });
});

test('only in the networks of the user', async () => {
  const fixture = await openStall();
  const other = { ...fixture, ...as(fixture, await foundNetwork(fixture.hub)) };
  await work(other, {}, 'mallory');
  await stall(fixture);
  await work(other, {}, 'mallory');
  await sweep(fixture);
  expect(bodies(fixture)).toMatchObject([{ alias: 'bob', network_id: fixture.caller.network_id }]);
  expect(await rowsOf(fixture, 'SELECT count(*) AS marked FROM stalled_agents')).toEqual([{ marked: 1 }]);
});
