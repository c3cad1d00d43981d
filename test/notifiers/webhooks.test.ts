// Webhooks, from what happens in the hub to what a real server receives.
import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { report } from '../support/fixture.ts';
import {
  bodies,
  log,
  notify,
  openNotifierFixture,
  restartedNotifierFixture,
  sweep,
} from '../support/notifier-fixture.ts';

test('an agent that becomes blocked is sent to the webhook once', async () => {
  const fixture = await openNotifierFixture();
  const notifier = await notify(fixture);
  await report(fixture, 'bob', { status: 'blocked', task: 'deploy' });
  await sweep(fixture);
  await report(fixture, 'bob', { status: 'blocked', task: 'deploy' });
  await sweep(fixture);
  expect(bodies(fixture)).toEqual([
    {
      id: expect.stringMatching(/^dlv_/),
      type: 'need',
      trigger: 'blocked',
      title: 'bob is blocked',
      text: 'deploy',
      link: '/agents/bob',
      network_id: fixture.caller.network_id,
      network_name: fixture.caller.network_id,
      alias: 'bob',
      timestamp: '2026-01-15T12:00:00.000Z',
    },
  ]);
  expect(await log(fixture, notifier)).toMatchObject([{ status: 'delivered', attempts: 1, response_status: 204 }]);
});

test('one that recovers and becomes blocked again is sent again', async () => {
  const fixture = await openNotifierFixture();
  await notify(fixture);
  for (const status of ['blocked', 'working', 'blocked']) {
    await report(fixture, 'bob', { status });
    await sweep(fixture);
  }
  expect(fixture.receiver.received).toHaveLength(2);
});

test('the request is signed with the secret that is shown once', async () => {
  const fixture = await openNotifierFixture();
  const { secret } = await notify(fixture);
  await report(fixture, 'bob', { status: 'error' });
  await sweep(fixture);
  const [{ headers = {}, body = '' } = {}] = fixture.receiver.received;
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  expect(Number(timestamp) * 1_000).toBe(fixture.hub.clock.now());
  expect(signature).toBe(`v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`);
});

test('what was queued before a restart is sent after it', async () => {
  const before = await openNotifierFixture();
  const notifier = await notify(before);
  before.receiver.answerWith(500);
  await report(before, 'bob', { status: 'error' });
  await sweep(before);
  await report(before, 'ann', { status: 'error' });
  before.receiver.answerWith(204);
  const fixture = await restartedNotifierFixture(before);
  fixture.hub.clock.advance(10_000);
  await sweep(fixture);
  expect(bodies(fixture).map(({ title }) => title)).toEqual([
    'bob reported an error',
    'bob reported an error',
    'ann reported an error',
  ]);
  expect(await log(fixture, notifier)).toMatchObject([
    { title: 'ann reported an error', status: 'delivered' },
    { title: 'bob reported an error', status: 'delivered', attempts: 2 },
  ]);
});
