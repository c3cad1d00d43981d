// What notifies whom: each trigger, for one's own needs and for those of a network.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { register } from '../../server/operations/accounts/register.ts';
import { getInbox } from '../../server/operations/agents/get-inbox.ts';
import { sendMessage } from '../../server/operations/messages/send-message.ts';
import { sendReply } from '../../server/operations/messages/send-reply.ts';
import { noticeNeeds } from '../../server/operations/notifiers/notice-needs.ts';
import { updateNotifier } from '../../server/operations/notifiers/update-notifier.ts';
import { perform } from '../../server/operations/operation.ts';
import { sendAck } from '../../server/operations/tasks/send-ack.ts';
import { identify } from '../../server/operations/tokens/identify.ts';
import { expire } from '../../server/sweeps/sweeps.ts';
import { as, report, send } from '../support/fixture.ts';
import { bodies, type NotifierFixture, notify, openNotifierFixture, sweep } from '../support/notifier-fixture.ts';

const MINUTE = 60_000;
/** A new `waiting_input` is reported after this time, so that a question that follows replaces it. */
const QUESTION_MS = 3_000;

async function sweepLater(fixture: NotifierFixture): Promise<void> {
  fixture.hub.clock.advance(QUESTION_MS);
  await sweep(fixture);
}

/** The registered user ann, in a network that she owns. */
async function openAnn(): Promise<NotifierFixture> {
  const fixture = await openNotifierFixture();
  const { token } = await perform(register, fixture.hub, { ip: '127.0.0.1' }, { username: 'Ann', password: 'secret' });
  const caller = await identify(fixture.hub, token, '127.0.0.1');
  if (caller === undefined) throw new Error('the token of the new user is not known');
  const { access_version: _, ...ann } = caller;
  const network_id = ann.memberships[0]?.network_id ?? '';
  const user = as(fixture, { ...ann, network_id });
  return { ...fixture, ...user, receiver: fixture.receiver, user };
}

const titles = (fixture: NotifierFixture): unknown[] => bodies(fixture).map(({ title }) => title);

describe('own needs', () => {
  test('agents that wait for input, are blocked or failed', async () => {
    const fixture = await openAnn();
    await notify(fixture);
    for (const [alias, status] of [
      ['a', 'waiting_input'],
      ['b', 'blocked'],
      ['c', 'error'],
      ['d', 'working'],
      ['e', 'idle'],
    ] as const)
      await report(fixture, alias, { status });
    fixture.hub.clock.advance(QUESTION_MS);
    await sweep(fixture);
    expect(titles(fixture)).toEqual(['a needs input', 'b is blocked', 'c reported an error']);
  });

  describe('an agent that asks and waits for input', () => {
    const ask = (fixture: NotifierFixture, alias = 'hub') =>
      fixture.ask(sendMessage, { alias, message: 'which branch?', from_session: 'bob' });
    const wait = (fixture: NotifierFixture) => report(fixture, 'bob', { status: 'waiting_input' });

    test.each([
      ['the question comes first', [ask, wait]],
      ['the question comes last', [wait, ask]],
    ])('notifies once, with the question, if %s', async (_, steps) => {
      const fixture = await openAnn();
      await notify(fixture);
      for (const step of steps) {
        await step(fixture);
        fixture.hub.clock.advance(1_000);
        await noticeNeeds(fixture.hub); // of a sweep between the two
      }
      await sweepLater(fixture);
      expect(titles(fixture)).toEqual(['Message from bob']);
    });

    test('notifies of its status if the notifier has no messages, or not that one', async () => {
      const fixture = await openAnn();
      await notify(fixture, { triggers: ['waiting_input'] });
      await ask(fixture);
      await wait(fixture);
      await sweepLater(fixture);
      expect(titles(fixture)).toEqual(['bob needs input']);
      await report(fixture, 'bob', { status: 'working' });
      await sweepLater(fixture);
      await notify(fixture);
      await sweepLater(fixture);
      await ask(fixture, 'zoe');
      await wait(fixture);
      await sweepLater(fixture);
      expect(titles(fixture).slice(1)).toEqual(['bob needs input', 'bob needs input']);
    });

    test('notifies again when it waits a minute after an earlier question', async () => {
      const fixture = await openAnn();
      await notify(fixture);
      await ask(fixture);
      await sweepLater(fixture);
      fixture.hub.clock.advance(2 * MINUTE);
      await wait(fixture);
      await sweepLater(fixture);
      expect(titles(fixture)).toEqual(['Message from bob', 'bob needs input']);
    });
  });

  test('results only if they are chosen', async () => {
    const fixture = await openAnn();
    await notify(fixture);
    await notify(fixture, { triggers: ['result'] });
    const in_reply_to = await send(fixture, { from_session: 'hub' });
    await fixture.ask(sendReply, { alias: 'hub', text: 'built', in_reply_to, from_session: 'bob' });
    await sweep(fixture);
    expect(bodies(fixture)).toMatchObject([{ trigger: 'result', title: 'Result from bob', text: 'built' }]);
  });

  test('messages and tasks addressed to the person, in any case of letters, or to hub', async () => {
    const fixture = await openAnn();
    await notify(fixture);
    for (const alias of ['ann', 'hub', 'bob'])
      await fixture.ask(sendMessage, { alias, message: `which branch,\n${alias}?`, from_session: 'bob' });
    await send(fixture, { alias: 'Ann', task: 'approve it', from_session: 'bob' });
    await sweep(fixture);
    expect(titles(fixture)).toEqual(['Message from bob', 'Message from bob', 'bob asks: approve it']);
    expect(bodies(fixture)[0]).toMatchObject({ trigger: 'message', text: 'which branch,', alias: 'bob' });
  });

  test('not the mail of an agent called hub, nor what has been read', async () => {
    const fixture = await openAnn();
    await notify(fixture);
    await report(fixture, 'hub');
    await fixture.ask(sendMessage, { alias: 'hub', message: 'for the agent', from_session: 'bob' });
    await sweep(fixture);
    expect(titles(fixture)).toEqual([]);
  });

  test('failed and expired tasks that the person or hub sent, with the result', async () => {
    const fixture = await openAnn();
    await notify(fixture);
    for (const from_session of ['Ann', 'hub', 'planner']) {
      const task_id = await send(fixture, { task: `of ${from_session}`, from_session });
      await fixture.ask(sendReply, {
        alias: from_session,
        text: 'no such branch',
        in_reply_to: task_id,
        status: 'failed',
        from_session: 'bob',
      });
    }
    await send(fixture, { task: 'late', from_session: 'Ann', ttl_seconds: 1 });
    fixture.hub.clock.advance(1_000);
    await expire(fixture.hub);
    await sweep(fixture);
    expect(titles(fixture)).toEqual(['Task failed: of Ann', 'Task failed: of hub', 'Task expired: late']);
    expect(bodies(fixture)[2]).toMatchObject({ text: 'bob did not settle it' });
    expect(bodies(fixture)[0]).toMatchObject({
      trigger: 'failed',
      text: 'no such branch',
      link: expect.stringMatching(/^\/tasks\/task_/),
    });
  });

  test('tasks that no agent fetches within the chosen time', async () => {
    const fixture = await openAnn();
    await notify(fixture, { unfetched_minutes: 10 });
    await sweep(fixture);
    await report(fixture, 'bob');
    await send(fixture, { task: 'fetched' });
    await fixture.ask(getInbox, { alias: 'bob' });
    await send(fixture, { task: 'waiting' });
    fixture.hub.clock.advance(10 * MINUTE - 1);
    await report(fixture, 'bob');
    await sweep(fixture);
    expect(titles(fixture)).toEqual([]);
    fixture.hub.clock.advance(1);
    await sweep(fixture);
    await sweep(fixture);
    expect(bodies(fixture)).toMatchObject([
      { title: 'Not fetched: waiting', text: 'bob has not fetched it in 10 min' },
    ]);
  });

  test('tasks from before the minutes were chosen are not reported', async () => {
    const fixture = await openAnn();
    const { notifier_id } = await notify(fixture, { triggers: ['unfetched'], unfetched_minutes: 5 });
    await sweep(fixture);
    const choose = (unfetched_minutes: number) => fixture.user.ask(updateNotifier, { notifier_id, unfetched_minutes });
    await choose(60);
    await sweep(fixture);
    await report(fixture, 'bob');
    await send(fixture, { task: 'before' });
    fixture.hub.clock.advance(MINUTE);
    await choose(5);
    await sweep(fixture);
    await send(fixture, { task: 'after' });
    fixture.hub.clock.advance(10 * MINUTE);
    await sweep(fixture);
    expect(titles(fixture)).toEqual(['Not fetched: after']);
  });

  test('tasks about to expire, once', async () => {
    const fixture = await openAnn();
    await notify(fixture, { triggers: ['expiring'] });
    await report(fixture, 'bob');
    await send(fixture, { task: 'waits', ttl_seconds: 3_600 });
    await fixture.ask(sendAck, { task_id: await send(fixture, { task: 'runs', ttl_seconds: 3_600 }) });
    await send(fixture, { task: 'short', ttl_seconds: 599 });
    fixture.hub.clock.advance(55 * MINUTE - 1);
    await sweep(fixture);
    expect(titles(fixture)).toEqual([]);
    fixture.hub.clock.advance(1);
    await sweep(fixture);
    await sweep(fixture);
    expect(titles(fixture)).toEqual(['About to expire: waits', 'About to expire: runs']);
  });

  test('only the chosen triggers, and nothing from before it was created', async () => {
    const fixture = await openAnn();
    await report(fixture, 'a', { status: 'error' });
    await notify(fixture, { triggers: ['error'] });
    await report(fixture, 'b', { status: 'blocked' });
    await report(fixture, 'c', { status: 'error' });
    await sweep(fixture);
    expect(titles(fixture)).toEqual(['c reported an error']);
  });

  test('nothing from a network that the user has left', async () => {
    const fixture = await openAnn();
    await notify(fixture);
    await fixture.hub.store.write((tx) =>
      tx.run('DELETE FROM members WHERE user_id = ?', [fixture.caller.user_id], 'rights'),
    );
    await sweep(fixture);
    expect(titles(fixture)).toEqual([]);
  });
});

test('a notifier of a network reports all failures, but no mail to a person', async () => {
  const fixture = await openAnn();
  await notify(fixture, { network_id: fixture.caller.network_id });
  const task_id = await send(fixture, { task: 'of planner', from_session: 'planner' });
  await fixture.ask(sendReply, {
    alias: 'planner',
    text: 'no',
    in_reply_to: task_id,
    status: 'failed',
    from_session: 'bob',
  });
  for (const alias of ['ann', 'hub'])
    await fixture.ask(sendMessage, { alias, message: `to ${alias}`, from_session: 'bob' });
  await sweep(fixture);
  expect(bodies(fixture)).toMatchObject([{ text: 'to hub' }, { title: 'Task failed: of planner' }]);
});

test('an agent that waits, goes silent and is back with the same question is reported once', async () => {
  const fixture = await openAnn();
  await notify(fixture, { triggers: ['waiting_input'] });
  await report(fixture, 'bob', { status: 'waiting_input' });
  await sweepLater(fixture);
  fixture.hub.clock.advance(11 * MINUTE);
  await expire(fixture.hub);
  await sweepLater(fixture);
  await report(fixture, 'bob', { status: 'waiting_input' });
  await sweepLater(fixture);
  expect(titles(fixture)).toEqual(['bob needs input']);
  await report(fixture, 'bob', { status: 'working' });
  await report(fixture, 'bob', { status: 'waiting_input' });
  await sweepLater(fixture);
  expect(titles(fixture)).toEqual(['bob needs input']);
  await report(fixture, 'bob', { status: 'working' });
  await sweepLater(fixture);
  await report(fixture, 'bob', { status: 'waiting_input' });
  await sweepLater(fixture);
  expect(titles(fixture)).toEqual(['bob needs input', 'bob needs input']);
});

test('an agent that recovers while there are no notifiers is reported when it halts again', async () => {
  const fixture = await openNotifierFixture();
  const { notifier_id } = await notify(fixture);
  const enable = (enabled: boolean) => fixture.user.ask(updateNotifier, { notifier_id, enabled });
  await report(fixture, 'bob', { status: 'blocked' });
  await sweep(fixture);
  await enable(false);
  await report(fixture, 'bob', { status: 'working' });
  await sweep(fixture);
  await enable(true);
  await report(fixture, 'bob', { status: 'blocked' });
  await sweep(fixture);
  expect(titles(fixture)).toEqual(['bob is blocked', 'bob is blocked']);
});

test('a notifier that is enabled while a sweep runs misses nothing', async () => {
  const fixture = await openNotifierFixture();
  const { notifier_id } = await notify(fixture, { triggers: ['blocked', 'unfetched'], unfetched_minutes: 5 });
  const enable = (enabled: boolean) => fixture.user.ask(updateNotifier, { notifier_id, enabled });
  for (let turns = 0; turns < 12; turns++) {
    await enable(false);
    const enabling = enable(true);
    for (let turn = 0; turn < turns; turn++) await nextTurn();
    await Promise.all([enabling, noticeNeeds(fixture.hub)]);
    await report(fixture, `agent ${turns}`, { status: 'blocked' });
    await send(fixture, { task: `task ${turns}` });
    fixture.hub.clock.advance(5 * MINUTE);
    await sweep(fixture);
    expect(titles(fixture)).toEqual([`agent ${turns} is blocked`, `Not fetched: task ${turns}`]);
    fixture.receiver.received.splice(0);
  }
});

test('without notifiers nothing is read or stored', async () => {
  const fixture = await openNotifierFixture();
  await report(fixture, 'bob', { status: 'error' });
  await sweep(fixture);
  const rows = await fixture.hub.store.read((reader) => reader.all('SELECT * FROM notifier_readers'));
  expect(rows).toEqual([]);
});
