// The figures of agents and networks: percentiles from counters against exact ones from the rows, and what counts.
import { describe, expect, test } from 'vitest';
import { BUCKET_STARTS, bucketOf, percentileOf } from '../../server/domain/time/duration-buckets.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, timestamp } from '../../server/domain/time/time.ts';
import { sendReply } from '../../server/operations/messages/send-reply.ts';
import { getFigures } from '../../server/operations/records/get-figures.ts';
import { getThroughput } from '../../server/operations/records/get-throughput.ts';
import { listFigures } from '../../server/operations/records/list-figures.ts';
import { cancelTask } from '../../server/operations/tasks/cancel-task.ts';
import { reassignTask } from '../../server/operations/tasks/reassign-task.ts';
import { retryTask } from '../../server/operations/tasks/retry-task.ts';
import { sendAck } from '../../server/operations/tasks/send-ack.ts';
import { expire, pruneEvents } from '../../server/sweeps/sweeps.ts';
import { as, type Fixture, openFixture, report, rowsOf, send } from '../support/fixture.ts';
import { foundNetwork } from '../support/test-hub.ts';

/** A bucket begins at one and a half times the one before, rounded down. */
const FACTOR = 1.5;

function countsOf(durations: readonly number[]) {
  return durations.map((duration) => ({ bucket: bucketOf(duration), tasks: 1 }));
}

function exact(durations: readonly number[], share: number): number {
  const sorted = durations.toSorted((one, other) => one - other);
  return sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? Number.NaN;
}

describe('percentiles from buckets', () => {
  test.each<[string, number[]]>([
    ['one task', [12_345]],
    ['equal ones', Array.from({ length: 50 }, () => 60_000)],
    ['evenly spread ones', Array.from({ length: 1_000 }, (_, n) => 10 + n * 60)],
    [
      'a few slow ones',
      [...Array.from({ length: 95 }, (_, n) => 1_000 + n), ...[1, 2, 3, 4, 5].map((n) => n * HOUR_MS)],
    ],
    [
      'over eight orders of magnitude',
      Array.from({ length: 100 }, (_, n) => Math.round(10 * 1.2 ** n)).filter((ms) => ms < 20 * DAY_MS),
    ],
    ['the bounds of buckets', [...BUCKET_STARTS]],
  ])('of %s are less than a factor of 1.5 from the exact ones', (_, durations) => {
    for (const share of [0.5, 0.95]) {
      const ratio = (percentileOf(countsOf(durations), share) ?? 0) / exact(durations, share);
      expect(ratio).toBeGreaterThan(1 / FACTOR - 0.05);
      expect(ratio).toBeLessThan(FACTOR + 0.05);
    }
  });

  test('are null without tasks, below 10 ms for instant tasks, and a month for endless ones', () => {
    expect(percentileOf([], 0.5)).toBeNull();
    expect(percentileOf(countsOf([0, 0, 1]), 0.95)).toBeLessThanOrEqual(10);
    expect(percentileOf([{ bucket: 1_000, tasks: 1 }], 0.5)).toBeGreaterThan(20 * DAY_MS);
  });
});

const ack = (fixture: Fixture, task_id: string, by: string) => fixture.ask(sendAck, { task_id, from_session: by });
const reply = (fixture: Fixture, id: string, by: string, status: 'replied' | 'failed' = 'replied') =>
  fixture.ask(sendReply, { alias: 'alice', in_reply_to: id, from_session: by, text: 'done', status });

describe('figures', () => {
  test('of two agents and of both agree with the rows', async () => {
    const fixture = await openFixture();
    const { clock } = fixture.hub;
    for (let n = 0; n < 40; n += 1) {
      const alias = n % 2 === 0 ? 'bob' : 'eve';
      const id = await send(fixture, { alias, ttl_seconds: 86_400 });
      clock.advance(200 * (n + 1));
      await ack(fixture, id, alias);
      clock.advance(3 * SECOND_MS * (n + 1));
      await reply(fixture, id, alias, n % 4 === 0 ? 'failed' : 'replied');
    }
    for (const alias of [undefined, 'bob', 'eve']) {
      const rows = await rowsOf(
        fixture,
        "SELECT started_at - delivered_at AS wait, completed_at - delivered_at AS total, status FROM tasks WHERE to_name = ?1 OR ?1 = ''",
        alias ?? '',
      );
      const figures = await fixture.ask(getFigures, { alias, hours: 168 });
      const failed = rows.filter(({ status }) => status === 'failed').length;
      expect(figures).toMatchObject({
        queue_age_ms: null,
        time_to_start: { tasks: rows.length },
        time_to_settle: { tasks: rows.length },
        settled: { replied: rows.length - failed, failed, cancelled: 0, expired: 0 },
        failure_rate: failed / rows.length,
      });
      const shown = [
        [
          figures.time_to_start.p50_ms,
          exact(
            rows.map(({ wait }) => Number(wait)),
            0.5,
          ),
        ],
        [
          figures.time_to_start.p95_ms,
          exact(
            rows.map(({ wait }) => Number(wait)),
            0.95,
          ),
        ],
        [
          figures.time_to_settle.p50_ms,
          exact(
            rows.map(({ total }) => Number(total)),
            0.5,
          ),
        ],
        [
          figures.time_to_settle.p95_ms,
          exact(
            rows.map(({ total }) => Number(total)),
            0.95,
          ),
        ],
      ];
      for (const [estimated, real] of shown)
        expect(Math.abs(Math.log(Number(estimated) / Number(real)))).toBeLessThan(Math.log(FACTOR));
    }
  });

  test('end with their hours, and belong to one network', async () => {
    const fixture = await openFixture();
    const other = as(fixture, await foundNetwork(fixture.hub));
    await reply(fixture, await send(fixture), 'bob');
    const settled = async (hours: number, whose = fixture) => (await whose.ask(getFigures, { hours })).settled.replied;
    expect([await settled(1), await settled(1, other)]).toEqual([1, 0]);
    fixture.hub.clock.advance(90 * MINUTE_MS);
    expect([await settled(1), await settled(2), await settled(168)]).toEqual([0, 1, 1]);
    fixture.hub.clock.advance(7 * DAY_MS);
    expect(await settled(168)).toBe(0);
  });

  test('of each agent are listed by alias, page by page, in their own network only', async () => {
    const fixture = await openFixture();
    const other = as(fixture, await foundNetwork(fixture.hub));
    const aliases = Array.from({ length: 23 }, (_, n) => `agent-${String(n).padStart(2, '0')}`);
    for (const alias of [...aliases].reverse()) await report(fixture, alias);
    await report(other, 'agent-00');
    await reply(other, await send(other, { alias: 'agent-00' }), 'agent-00', 'failed');
    for (const [n, alias] of aliases.entries()) {
      const id = await send(fixture, { alias, task: `for ${alias}` });
      fixture.hub.clock.advance(SECOND_MS * (n + 1));
      await ack(fixture, id, alias);
      await reply(fixture, id, alias, n % 3 === 0 ? 'failed' : 'replied');
      if (n % 2 === 0) await send(fixture, { alias, task: `later, for ${alias}` });
    }
    // Nobody has reported under this name.
    await reply(fixture, await send(fixture, { alias: 'nobody' }), 'nobody');
    const first = await fixture.ask(listFigures, { hours: 24, limit: 12 });
    const rest = await fixture.ask(listFigures, { hours: 24, limit: 12, cursor: first.next_cursor });
    expect(rest).not.toHaveProperty('next_cursor');
    const agents = [...first.agents, ...rest.agents];
    expect(agents.map(({ alias }) => alias)).toEqual(aliases);
    expect(new Set(agents.map(({ time_to_start }) => time_to_start.p50_ms)).size).toBeGreaterThan(5);
    for (const { network_id, alias, ...figures } of agents) {
      const { ok, since, until, ...alone } = await fixture.ask(getFigures, { hours: 24, alias });
      expect([ok, since, until]).toEqual([true, first.since, first.until]);
      expect({ network_id, ...figures }).toEqual({ network_id: fixture.caller.network_id, ...alone });
    }
    expect(await fixture.ask(listFigures, {})).toMatchObject({ count: 23 });
    expect(await other.ask(listFigures, {})).toMatchObject({ count: 1, agents: [{ settled: { failed: 1 } }] });
  });

  test('count every attempt under the agent that had it, and no cancellation as a failure', async () => {
    const fixture = await openFixture();
    await report(fixture, 'bob');
    const id = await send(fixture, { alias: 'bob', ttl_seconds: 60 });
    await reply(fixture, id, 'bob', 'failed');
    await fixture.ask(retryTask, { task_id: id });
    await fixture.ask(reassignTask, { task_id: id, new_alias: 'eve' });
    await fixture.ask(cancelTask, { task_id: id });
    await fixture.ask(retryTask, { task_id: id });
    fixture.hub.clock.advance(2 * MINUTE_MS);
    await expire(fixture.hub);
    expect(await fixture.ask(getFigures, { alias: 'bob' })).toMatchObject({
      settled: { failed: 1, expired: 0 },
      failure_rate: 1,
    });
    expect(await fixture.ask(getFigures, { alias: 'eve' })).toMatchObject({
      settled: { failed: 0, cancelled: 1, expired: 1 },
      failure_rate: 1,
      time_to_settle: { tasks: 0, p50_ms: null },
    });
    await fixture.ask(retryTask, { task_id: id });
    await fixture.ask(cancelTask, { task_id: id });
    expect(await fixture.ask(getFigures, {})).toMatchObject({
      settled: { failed: 1, cancelled: 2, expired: 1 },
      failure_rate: 1,
    });
  });

  test('say from when until when they count: whole quarters of an hour, and the last one up to now', async () => {
    const fixture = await openFixture();
    const { clock } = fixture.hub;
    clock.advance(20 * MINUTE_MS + 7 * SECOND_MS);
    const now = clock.now();
    const quarter = Math.floor((now - HOUR_MS) / (15 * MINUTE_MS)) * 15 * MINUTE_MS;
    expect(now - HOUR_MS - quarter).toBe(5 * MINUTE_MS + 7 * SECOND_MS);
    expect(await fixture.ask(getFigures, {})).toMatchObject({ since: timestamp(quarter), until: timestamp(now) });
    expect(await fixture.ask(getThroughput, {})).toMatchObject({ until: timestamp(now) });
  });

  test('show how long the oldest waiting task has waited, since it was last delivered', async () => {
    const fixture = await openFixture();
    const age = async (alias?: string) => (await fixture.ask(getFigures, { alias })).queue_age_ms;
    expect(await age()).toBeNull();
    const first = await send(fixture, { alias: 'bob' });
    fixture.hub.clock.advance(MINUTE_MS);
    await send(fixture, { alias: 'eve' });
    fixture.hub.clock.advance(MINUTE_MS);
    expect([await age(), await age('bob'), await age('eve'), await age('zoe')]).toEqual([
      2 * MINUTE_MS,
      2 * MINUTE_MS,
      MINUTE_MS,
      null,
    ]);
    await fixture.ask(cancelTask, { task_id: first });
    await fixture.ask(retryTask, { task_id: first });
    expect([await age(), await age('bob')]).toEqual([MINUTE_MS, 0]);
  });

  test('find the oldest task behind a hundred that were retried', async () => {
    const fixture = await openFixture();
    const ids = await Promise.all(Array.from({ length: 150 }, (_, n) => send(fixture, { task: `task ${n}` })));
    fixture.hub.clock.advance(MINUTE_MS);
    await send(fixture, { task: 'the oldest in the end' });
    fixture.hub.clock.advance(MINUTE_MS);
    for (const task_id of ids) {
      await fixture.ask(cancelTask, { task_id });
      await fixture.ask(retryTask, { task_id });
    }
    expect((await fixture.ask(getFigures, {})).queue_age_ms).toBe(MINUTE_MS);
  });

  test('cost a sent task nothing, and are deleted after 8 days', async () => {
    const fixture = await openFixture();
    const rows = async () => (await rowsOf(fixture, 'SELECT count(*) AS count FROM duration_counts'))[0]?.['count'];
    const id = await send(fixture);
    expect(await rows()).toBe(0);
    await reply(fixture, id, 'bob');
    expect(await rows()).toBe(2);
    fixture.hub.clock.advance(8 * DAY_MS - MINUTE_MS);
    await pruneEvents(fixture.hub);
    expect(await rows()).toBe(2);
    fixture.hub.clock.advance(16 * MINUTE_MS);
    await pruneEvents(fixture.hub);
    expect(await rows()).toBe(0);
  });
});
