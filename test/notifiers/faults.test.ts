// Receivers that fail, and URLs that are refused.
import { expect, test } from 'vitest';
import { MAX_NOTIFYING, NOTIFIER_TIMEOUT_MS } from '../../server/domain/limits.ts';
import { PROBLEMS, type Problem } from '../../server/domain/notifiers/problems.ts';
import { createNotifier } from '../../server/operations/notifiers/create-notifier.ts';
import { startDeliveries } from '../../server/operations/notifiers/deliver.ts';
import { noticeNeeds } from '../../server/operations/notifiers/notice-needs.ts';
import { testNotifier } from '../../server/operations/notifiers/test-notifier.ts';
import { updateNotifier } from '../../server/operations/notifiers/update-notifier.ts';
import { openOutgoing } from '../../server/outgoing/outgoing.ts';
import { as, outcomeOf, report } from '../support/fixture.ts';
import { bodies, log, notify, openNotifierFixture, sweep, withReceiver } from '../support/notifier-fixture.ts';
import { type Answer, openReceiver } from '../support/receiver.ts';
import { foundNetwork } from '../support/test-hub.ts';

const BACKOFF_SECONDS = [10, 60, 300, 1_800, 7_200];
const SHORT_MS = 50;

test('a delivery is retried after longer and longer pauses, and then marked as failed', async () => {
  const fixture = await openNotifierFixture();
  const notifier = await notify(fixture);
  fixture.receiver.answerWith(500);
  await report(fixture, 'bob', { status: 'error' });
  await sweep(fixture);
  for (const [index, seconds] of BACKOFF_SECONDS.entries()) {
    fixture.hub.clock.advance(seconds * 1_000 - 1);
    await sweep(fixture);
    expect(fixture.receiver.received).toHaveLength(index + 1);
    fixture.hub.clock.advance(1);
    await sweep(fixture);
    expect(fixture.receiver.received).toHaveLength(index + 2);
  }
  expect(await log(fixture, notifier)).toMatchObject([
    {
      status: 'failed',
      attempts: 6,
      response_status: 500,
      error: 'status',
      message: 'the receiver returned an error',
      next_attempt_at: null,
    },
  ]);
  fixture.hub.clock.advance(86_400_000);
  await sweep(fixture);
  expect(fixture.receiver.received).toHaveLength(6);
});

test('every attempt has the same id, and a fresh timestamp', async () => {
  const fixture = await openNotifierFixture();
  await notify(fixture);
  fixture.receiver.answerWith(503);
  await report(fixture, 'bob', { status: 'error' });
  await sweep(fixture);
  fixture.hub.clock.advance(10_000);
  await sweep(fixture);
  const [first, second] = fixture.receiver.received.map(({ headers }) => headers);
  expect(second?.['webhook-id']).toBe(first?.['webhook-id']);
  expect(Number(second?.['webhook-timestamp'])).toBe(Number(first?.['webhook-timestamp']) + 10);
});

test.each<[Answer, Problem]>([
  [404, 'status'],
  [{ redirect: 'http://127.0.0.1:9/' }, 'redirect'],
  ['reset', 'connection_closed'],
  ['never', 'timeout'],
])('%s is in the log, and is tried again', async (answer, error) => {
  const fixture = await openNotifierFixture();
  const impatient = withReceiver(fixture, fixture.receiver, answer === 'never' ? SHORT_MS : NOTIFIER_TIMEOUT_MS);
  const notifier = await notify(fixture);
  fixture.receiver.answerWith(answer);
  await report(fixture, 'bob', { status: 'error' });
  await sweep(impatient);
  expect(await log(fixture, notifier)).toMatchObject([{ status: 'pending', error, message: PROBLEMS[error] }]);
  expect(impatient.hub.metrics.notifications).toEqual({ delivered: 0, retried: 1, failed: 0 });
});

test('a test returns the response of the receiver at once, and is in the log', async () => {
  const fixture = await openNotifierFixture();
  const { notifier_id } = await notify(fixture);
  const ask = () => fixture.user.ask(testNotifier, { notifier_id });
  expect(await ask()).toMatchObject({ delivered: true, response_status: 204, error: null });
  fixture.receiver.answerWith(410);
  expect(await ask()).toMatchObject({ delivered: false, response_status: 410, error: 'status' });
  expect(await log(fixture, { notifier_id, secret: '' })).toMatchObject([
    { is_test: true, status: 'failed' },
    { is_test: true, status: 'delivered' },
  ]);
});

test('tests are limited', async () => {
  const fixture = await openNotifierFixture();
  const { notifier_id } = await notify(fixture);
  const outcomes = [];
  for (let index = 0; index < 11; index++)
    outcomes.push(await outcomeOf(fixture.user.ask(testNotifier, { notifier_id })));
  expect(outcomes).toEqual([...Array(10).fill('ok'), 'rate_limited']);
});

test('after a failure the other deliveries of the notifier pause too', async () => {
  const fixture = await openNotifierFixture();
  await notify(fixture);
  fixture.receiver.answerWith(500);
  for (const alias of ['bob', 'ann']) await report(fixture, alias, { status: 'error' });
  await sweep(fixture);
  expect(fixture.receiver.received).toHaveLength(1);
  fixture.hub.clock.advance(10_000);
  await sweep(fixture);
  expect(fixture.receiver.received).toHaveLength(2);
  fixture.receiver.answerWith(204);
  fixture.hub.clock.advance(10_000);
  await sweep(fixture);
  expect(bodies(fixture).map(({ title }) => title)).toEqual([
    'bob reported an error',
    'bob reported an error',
    'ann reported an error',
  ]);
});

test('one slow receiver does not delay others, and no user holds more than two requests', async () => {
  const fixture = await openNotifierFixture();
  const [slow, quick] = [await openReceiver(), fixture.receiver];
  slow.answerWith('never');
  for (const url of [slow.url, slow.url, quick.url]) await notify(fixture, { url });
  await report(fixture, 'bob', { status: 'error' });
  const impatient = withReceiver(fixture, quick, SHORT_MS);
  await noticeNeeds(impatient.hub);
  const started = await startDeliveries(impatient.hub);
  expect(started).toHaveLength(2);
  expect(await startDeliveries(impatient.hub)).toHaveLength(0);
  await Promise.all(started);
  const { hub } = withReceiver(fixture, quick); // which gives it time on a busy machine
  await Promise.all(await startDeliveries(hub));
  expect(quick.received).toHaveLength(1);
  hub.outgoing.close();
});

test('receivers that hang do not delay the notifications of other users', async () => {
  const victim = await openNotifierFixture();
  const slow = await openReceiver();
  slow.answerWith('never');
  const others = await Promise.all(
    Array.from({ length: 20 }, async () =>
      withReceiver(as(victim, await foundNetwork(victim.hub)), slow, NOTIFIER_TIMEOUT_MS),
    ),
  );
  for (const other of others) for (let index = 0; index < 4; index++) await notify(other);
  await notify(victim);
  for (const other of others) await report(other, 'bob', { status: 'error' });
  const impatient = withReceiver(victim, victim.receiver, SHORT_MS);
  await noticeNeeds(impatient.hub);
  const first = await startDeliveries(impatient.hub);
  expect(first).toHaveLength(MAX_NOTIFYING / 2);
  await Promise.all(first);

  await report(victim, 'bob', { status: 'error' });
  await noticeNeeds(victim.hub);
  const { hub } = withReceiver(victim, victim.receiver);
  for (let second = 0; second < 2; second++) void Promise.all(await startDeliveries(hub));
  await expect.poll(() => victim.receiver.received).toHaveLength(1);
  hub.outgoing.close();
});

test('a user whose last notification arrived does not wait for those of new users whose receivers hang', async () => {
  const victim = await openNotifierFixture();
  await notify(victim);
  await report(victim, 'bob', { status: 'error' });
  await noticeNeeds(victim.hub);
  const { hub } = withReceiver(victim, victim.receiver);
  await Promise.all(await startDeliveries(hub));
  const slow = await openReceiver();
  slow.answerWith('never');
  for (let user = 0; user < MAX_NOTIFYING; user++) {
    const other = withReceiver(as(victim, await foundNetwork(victim.hub)), slow, NOTIFIER_TIMEOUT_MS);
    for (let index = 0; index < 2; index++) await notify(other);
    await report(other, 'bob', { status: 'error' });
  }
  await noticeNeeds(hub);
  expect(await startDeliveries(hub)).toHaveLength(MAX_NOTIFYING / 2);
  await report(victim, 'cat', { status: 'error' });
  await noticeNeeds(hub);
  await startDeliveries(hub);
  await expect.poll(() => victim.receiver.received).toHaveLength(2);
  hub.outgoing.close();
});

test('a user can have two URLs checked at a time', async () => {
  const fixture = await openNotifierFixture();
  const silent = openOutgoing({ addresses: 'public', timeoutMs: SHORT_MS, resolve: () => new Promise(() => {}) });
  const user = as({ ...fixture.user, hub: { ...fixture.hub, outgoing: silent } }, {});
  const create = () => outcomeOf(user.ask(createNotifier, { format: 'webhook', url: 'https://hooks.example/x' }));
  expect(await Promise.all([create(), create(), create()])).toEqual(['lookup_failed', 'lookup_failed', 'rate_limited']);
  expect(await create()).toBe('lookup_failed');
});

test('a private URL is refused when a notifier is created or changed', async () => {
  const fixture = await openNotifierFixture();
  const { notifier_id } = await notify(fixture);
  const strict = openOutgoing({ addresses: 'public', timeoutMs: SHORT_MS });
  const user = as({ ...fixture.user, hub: { ...fixture.hub, outgoing: strict } }, {});
  const host = '192.168.0.1';
  const url = `http://${host}/hook`;
  expect(await outcomeOf(user.ask(createNotifier, { format: 'webhook', url }))).toBe('private_address');
  expect(await outcomeOf(user.ask(updateNotifier, { notifier_id, url }))).toBe('private_address');
  await expect(user.ask(updateNotifier, { notifier_id, url })).rejects.toThrow(
    /^url cannot be used: .*notifier_addresses/,
  );
});

test('a URL whose host cannot be found is refused', async () => {
  const fixture = await openNotifierFixture();
  const create = (problem: Problem) => {
    const outgoing = { ...fixture.hub.outgoing, problemOf: async () => problem };
    const user = as({ ...fixture.user, hub: { ...fixture.hub, outgoing } }, {});
    return outcomeOf(user.ask(createNotifier, { format: 'webhook', url: 'https://nobody.invalid/' }));
  };
  expect(await create('no_address')).toBe('no_address');
  expect(await create('lookup_failed')).toBe('lookup_failed');
  expect(await create('timeout')).toBe('lookup_failed');
});
