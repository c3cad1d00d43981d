// Quiet hours and the rate limit: what is held back becomes one summary.
import { expect, test } from 'vitest';
import { quietUntil } from '../../server/domain/notifiers/quiet-hours.ts';
import { noticeNeeds } from '../../server/operations/notifiers/notice-needs.ts';
import { updateNotifier } from '../../server/operations/notifiers/update-notifier.ts';
import { report, rowsOf } from '../support/fixture.ts';
import { NOON } from '../support/manual-clock.ts';
import { bodies, log, type NotifierFixture, notify, openNotifierFixture, sweep } from '../support/notifier-fixture.ts';

const MINUTE = 60_000;
const HOUR = 3_600_000;

async function failAgents(fixture: NotifierFixture, count: number, status = 'error'): Promise<void> {
  for (let index = 0; index < count; index++) await report(fixture, `agent ${index}`, { status });
}

test('50 agents that fail at once cause six notifications and a summary', async () => {
  const fixture = await openNotifierFixture();
  const notifier = await notify(fixture);
  await failAgents(fixture, 50);
  await sweep(fixture);
  expect(bodies(fixture).map(({ type }) => type)).toEqual(Array(6).fill('need'));
  fixture.hub.clock.advance(10 * MINUTE - 1);
  await sweep(fixture);
  expect(bodies(fixture)).toHaveLength(6);
  fixture.hub.clock.advance(1);
  await sweep(fixture);
  expect(bodies(fixture).slice(6)).toMatchObject([
    { type: 'summary', title: '44 more items need you', text: '44 agents reported errors', counts: { error: 44 } },
  ]);
  expect(await log(fixture, notifier)).toHaveLength(7);
});

test('the needs of many notifiers are queued in several writes, so that other writes need not wait', async () => {
  const fixture = await openNotifierFixture({ max_notifiers: 0 });
  for (let index = 0; index < 60; index++) await notify(fixture, { rate_limit: 60 });
  await noticeNeeds(fixture.hub);
  await failAgents(fixture, 30);
  let writes = 0;
  const { store } = fixture.hub;
  const counting: typeof store.write = (work) => {
    writes += 1;
    return store.write(work);
  };
  expect(await noticeNeeds({ ...fixture.hub, store: { ...store, write: counting } })).toEqual({ needs: 1_800 });
  expect(writes).toBeGreaterThan(4);
  expect(await rowsOf(fixture, 'SELECT count(*) AS queued FROM deliveries')).toEqual([{ queued: 1_800 }]);
  expect(await noticeNeeds(fixture.hub)).toEqual({ needs: 0 });
});

test('needs that arrive while a summary waits are counted in it', async () => {
  const fixture = await openNotifierFixture();
  await notify(fixture, { rate_limit: 1 });
  await failAgents(fixture, 2);
  await sweep(fixture);
  await failAgents(fixture, 3, 'blocked');
  await sweep(fixture);
  fixture.hub.clock.advance(10 * MINUTE);
  await sweep(fixture);
  expect(bodies(fixture)[1]).toMatchObject({
    title: '4 more items need you',
    text: '3 agents are blocked, 1 agent reported an error',
  });
});

test('one held need is sent as itself', async () => {
  const fixture = await openNotifierFixture();
  await notify(fixture, { rate_limit: 1 });
  await failAgents(fixture, 2);
  await sweep(fixture);
  fixture.hub.clock.advance(10 * MINUTE);
  await sweep(fixture);
  expect(bodies(fixture)[1]).toMatchObject({ type: 'need', title: 'agent 1 reported an error' });
});

test('a failing receiver gets a summary once it responds again', async () => {
  const fixture = await openNotifierFixture();
  await notify(fixture);
  fixture.receiver.answerWith(500);
  await failAgents(fixture, 1);
  await sweep(fixture);
  await failAgents(fixture, 5, 'blocked');
  await sweep(fixture);
  fixture.receiver.answerWith(204);
  fixture.hub.clock.advance(10_000);
  await sweep(fixture);
  expect(bodies(fixture).map(({ title }) => title)).toEqual([
    'agent 0 reported an error',
    'agent 0 reported an error',
    '5 more items need you',
  ]);
});

test('quiet hours end with one summary, and hold back a repeated attempt too', async () => {
  const fixture = await openNotifierFixture();
  await notify(fixture, { quiet_from: '12:05', quiet_until: '14:00' });
  fixture.receiver.answerWith(500);
  fixture.hub.clock.advance(5 * MINUTE - 5_000);
  await failAgents(fixture, 1);
  await sweep(fixture);
  fixture.receiver.answerWith(204);
  fixture.hub.clock.advance(10_000);
  await failAgents(fixture, 3, 'blocked');
  await sweep(fixture);
  expect(fixture.receiver.received).toHaveLength(1);
  fixture.hub.clock.set(NOON + 2 * HOUR - 1);
  await sweep(fixture);
  expect(fixture.receiver.received).toHaveLength(1);
  fixture.hub.clock.advance(1);
  await sweep(fixture);
  expect(
    bodies(fixture)
      .slice(1)
      .map(({ title }) => title),
  ).toEqual(['agent 0 reported an error', '3 more items need you']);
});

test('a disabled notifier sends nothing, and after it is enabled nothing from before', async () => {
  const fixture = await openNotifierFixture();
  const { notifier_id } = await notify(fixture);
  await fixture.user.ask(updateNotifier, { notifier_id, enabled: false });
  await failAgents(fixture, 1);
  await sweep(fixture);
  fixture.hub.clock.advance(1_000);
  await fixture.user.ask(updateNotifier, { notifier_id, enabled: true });
  await report(fixture, 'late', { status: 'error' });
  await sweep(fixture);
  expect(bodies(fixture).map(({ title }) => title)).toEqual(['late reported an error']);
});

test.each([
  ['before', '22:00', '07:00', 'UTC', '2026-01-15T21:59:59Z', 0],
  ['at the start', '22:00', '07:00', 'UTC', '2026-01-15T22:00:00Z', 9 * HOUR],
  ['after midnight', '22:00', '07:00', 'UTC', '2026-01-16T06:59:30Z', 30_000],
  ['at the end', '22:00', '07:00', 'UTC', '2026-01-16T07:00:00Z', 0],
  ['in another zone', '22:00', '07:00', 'Asia/Shanghai', '2026-01-15T22:30:00Z', 30 * MINUTE],
  ['in a zone that Node does not know', '22:00', '07:00', 'Mars/Olympus', '2026-01-15T22:30:00Z', 8.5 * HOUR],
  ['within a day', '12:00', '13:00', 'UTC', '2026-01-15T12:15:00Z', 45 * MINUTE],
])('quiet hours %s', (_, quiet_from, quiet_until, time_zone, at, length) => {
  const now = Date.parse(at);
  expect(quietUntil({ quiet_from, quiet_until, time_zone }, now) - now).toBe(length);
});

test('quiet hours that end when they start are refused, and an older notifier with them can still be changed', async () => {
  const fixture = await openNotifierFixture();
  const refusal = 'quiet_from and quiet_until must differ; set both to none for no quiet hours';
  await expect(notify(fixture, { quiet_from: '22:00', quiet_until: '22:00' })).rejects.toThrow(refusal);
  const { notifier_id } = await notify(fixture, { quiet_from: '22:00', quiet_until: '07:00' });
  const change = (rest: object) => fixture.user.ask(updateNotifier, { notifier_id, ...rest });
  await expect(change({ quiet_until: '22:00' })).rejects.toThrow(refusal);
  await fixture.hub.store.write((tx) => tx.run("UPDATE notifiers SET quiet_until = '22:00'"));
  expect(await change({ name: 'phone' })).toMatchObject({ notifier: { name: 'phone' } });
  await expect(change({ quiet_from: '22:00' })).rejects.toThrow(refusal);
  expect(await change({ quiet_from: 'none', quiet_until: 'none' })).toMatchObject({ notifier: { quiet_from: null } });
});
