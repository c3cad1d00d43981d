// What receivers do wrong, and URLs that a hub must not contact.
import { describe, expect, test } from 'vitest';
import { createNotifier } from '../../server/operations/notifiers/create-notifier.ts';
import { startDeliveries } from '../../server/operations/notifiers/deliver.ts';
import { noticeNeeds } from '../../server/operations/notifiers/notice-needs.ts';
import { testNotifier } from '../../server/operations/notifiers/test-notifier.ts';
import { updateNotifier } from '../../server/operations/notifiers/update-notifier.ts';
import { perform } from '../../server/operations/operation.ts';
import { openOutgoing } from '../../server/outgoing/outgoing.ts';
import { outcomeOf, report } from '../support/fixture.ts';
import { log, notify, openNotifierFixture, sweep, withReceiver } from '../support/notifier-fixture.ts';
import { type Answer, openReceiver } from '../support/receiver.ts';

const BACKOFF_SECONDS = [10, 60, 300, 1_800, 7_200];
const SHORT_MS = 50;

test('a delivery that fails is repeated after longer and longer pauses, and then has failed', async () => {
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
    { status: 'failed', attempts: 6, response_status: 500, error: 'the receiver answered 500', next_attempt_at: null },
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

test.each<[string, Answer, string]>([
  ['404', 404, 'the receiver answered 404'],
  ['a redirect', { redirect: 'http://127.0.0.1:9/' }, 'the receiver answered 302, and redirects are not followed'],
  ['a reset', 'reset', 'the receiver closed the connection'],
  ['no answer', 'never', `the receiver did not answer within ${SHORT_MS / 1_000} s`],
])('%s is an error that the log names', async (_, answer, error) => {
  const fixture = await openNotifierFixture();
  const impatient = withReceiver(fixture, fixture.receiver, SHORT_MS);
  const notifier = await notify(fixture);
  fixture.receiver.answerWith(answer);
  await report(fixture, 'bob', { status: 'error' });
  await sweep(impatient);
  expect(await log(fixture, notifier)).toMatchObject([{ status: 'pending', error: expect.stringContaining(error) }]);
});

test('a test says at once what the receiver answered, and is in the log', async () => {
  const fixture = await openNotifierFixture();
  const { notifier_id } = await notify(fixture);
  const ask = () => fixture.user.ask(testNotifier, { notifier_id });
  expect(await ask()).toMatchObject({ delivered: true, response_status: 204, error: null });
  fixture.receiver.answerWith(410);
  expect(await ask()).toMatchObject({ delivered: false, response_status: 410, error: 'the receiver answered 410' });
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
  await Promise.all(await startDeliveries(impatient.hub));
  expect(quick.received).toHaveLength(1);
});

describe('addresses', () => {
  const outgoing = openOutgoing({
    addresses: 'public',
    timeoutMs: SHORT_MS,
    resolve: async () => ['198.41.0.4', '10.0.0.1'],
  });

  test.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.1',
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '224.0.0.1',
    '255.255.255.255',
    '[::]',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:a00:1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[2001:db8::1]',
    '[fc00::1]',
    '[fe80::1]',
    '[ff02::1]',
    'localhost',
    'localhost.',
    'app.localhost',
  ])('%s is private, and is refused', async (host) => {
    const real = openOutgoing({ addresses: 'public', timeoutMs: SHORT_MS });
    expect(await real.problemOf(`http://${host}:9/`)).toMatch(/is private/);
    expect(await real.post({ url: `http://${host}:9/`, headers: {}, body: '' })).toMatchObject({
      status: null,
      error: expect.stringMatching(/is private/),
    });
  });

  test.each(['198.41.0.4', '172.32.0.1', '11.0.0.1', '[2001:500:2::c]'])('%s is public', async (host) => {
    expect(await outgoing.problemOf(`https://${host}/`)).toBeUndefined();
  });

  test('a name with one private address is refused', async () => {
    expect(await outgoing.problemOf('https://both.example/')).toMatch(/is private/);
  });

  test('a name that turns private after it was checked is refused when it is contacted', async () => {
    const receiver = await openReceiver();
    const answers = [['198.41.0.4'], ['127.0.0.1']];
    const rebinding = openOutgoing({
      addresses: 'public',
      timeoutMs: SHORT_MS,
      resolve: async () => answers.shift() ?? ['127.0.0.1'],
    });
    const url = receiver.url.replace('127.0.0.1', 'rebinding.example');
    const { error } = await rebinding.post({ url, headers: {}, body: '{}' });
    expect(answers).toEqual([]);
    expect(error).toMatch(/is private/);
    expect(receiver.received).toEqual([]);
  });

  test('with all addresses allowed, the same name reaches the receiver', async () => {
    const receiver = await openReceiver();
    const all = openOutgoing({ addresses: 'all', timeoutMs: 5_000, resolve: async () => ['127.0.0.1'] });
    const url = receiver.url.replace('127.0.0.1', 'rebinding.example');
    expect(await all.post({ url, headers: {}, body: '{}' })).toEqual({ status: 204, error: null });
  });

  test('a private URL is refused when a notifier is created or changed', async () => {
    const fixture = await openNotifierFixture();
    const strict = openOutgoing({ addresses: 'public', timeoutMs: SHORT_MS });
    const user = { ...fixture.user, hub: { ...fixture.hub, outgoing: strict } };
    const { notifier_id } = await notify(fixture);
    const host = '192.168.0.1';
    const url = `http://${host}/hook`;
    for (const call of [
      () => perform(createNotifier, user.hub, user.caller, { format: 'webhook', url }),
      () => perform(updateNotifier, user.hub, user.caller, { notifier_id, url }),
    ])
      await expect(call()).rejects.toThrow(/^url cannot be used: the address of 192\.168\.0\.1 is private/);
  });
});
