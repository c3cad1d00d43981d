// Figures and throughput of random counters, against a computation that gathers all rows first.
import { expect, test } from 'vitest';
import { type Draws, draws } from '../../scripts/support/random.ts';
import { BUCKET_STARTS, percentileOf } from '../../server/domain/time/duration-buckets.ts';
import { HOUR_MS, MINUTE_MS, timestamp } from '../../server/domain/time/time.ts';
import { getFigures } from '../../server/operations/records/get-figures.ts';
import { getThroughput } from '../../server/operations/records/get-throughput.ts';
import { listFigures } from '../../server/operations/records/list-figures.ts';
import { as, type Fixture, openFixture, report, rowsOf } from '../support/fixture.ts';
import { foundNetwork } from '../support/test-hub.ts';

const QUARTER_MS = 15 * MINUTE_MS;
const SPAN_QUARTERS = 24;
const MEASURES = ['started', 'replied', 'failed', 'cancelled', 'expired'];
const MOVES = ['sent', 'replied', 'failed', 'cancelled', 'expired'] as const;
const ALIASES = ['ann', 'bob', 'eve', 'zoe'];
const HOURS = [1, 7, 24, 168];

type Count = { measure: string; bucket: number; tasks: number };

/** Two networks of one user with a week of random counters; `zoe` has none. */
async function openBusyFixture(random: Draws): Promise<Fixture> {
  const below = (bound: number): number => Math.floor(random.below(bound));
  const fixture = await openFixture();
  const second = await foundNetwork(fixture.hub);
  for (const alias of ALIASES) for (const one of [fixture, as(fixture, second)]) await report(one, alias);
  const now = fixture.hub.clock.now();
  for (const { network_id } of [fixture.caller, second])
    await fixture.hub.store.write(async (tx) => {
      const network = tx.networkSeq(network_id);
      for (let row = 0; row < 2_000; row++)
        await tx.run(
          `INSERT INTO duration_counts (network_seq, alias, quarter, measure, bucket, tasks) VALUES (?, ?, ?, ?, ?, ?)
           ON CONFLICT (network_seq, alias, quarter, measure, bucket) DO UPDATE SET tasks = excluded.tasks`,
          [
            network,
            ['', ...ALIASES.slice(0, 3)][below(4)] ?? '',
            Math.floor(now / QUARTER_MS) - below(690),
            MEASURES[below(5)] ?? '',
            below(BUCKET_STARTS.length + 1),
            1 + below(9),
          ],
        );
      for (let row = 0; row < 500; row++)
        await tx.run(
          `INSERT INTO move_counts (network_seq, minute, ${MOVES.join(', ')}) VALUES (?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (network_seq, minute) DO UPDATE SET ${MOVES.map((move) => `${move} = excluded.${move}`).join(', ')}`,
          [network, Math.floor(now / MINUTE_MS) - below(11_000), ...MOVES.map(() => below(9))],
        );
    });
  const memberships = [...fixture.caller.memberships, ...second.memberships];
  return as(fixture, { token_kind: 'user', memberships });
}

function firstQuarter(fixture: Fixture, hours: number): number {
  return Math.floor((fixture.hub.clock.now() - hours * HOUR_MS) / QUARTER_MS);
}

/** The rows of one alias, added up for each span of six hours. */
async function gather(fixture: Fixture, network: string, alias: string, hours: number): Promise<Count[]> {
  const rows = await rowsOf(
    fixture,
    `SELECT (quarter - ?1) / ${SPAN_QUARTERS} AS span, measure, bucket, sum(tasks) AS tasks
     FROM duration_counts JOIN networks USING (network_seq)
     WHERE network_id = ?2 AND alias = ?3 AND quarter >= ?1 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    firstQuarter(fixture, hours),
    network,
    alias,
  );
  return rows.map(({ measure, bucket, tasks }) => ({
    measure: String(measure),
    bucket: Number(bucket),
    tasks: Number(tasks),
  }));
}

function expectedOf(fixture: Fixture, counts: readonly Count[], hours: number) {
  const of = (...measures: string[]) => counts.filter(({ measure }) => measures.includes(measure));
  const number = (measure: string) => of(measure).reduce((sum, { tasks }) => sum + tasks, 0);
  const times = (list: readonly Count[]) => {
    const sorted = list.toSorted((one, other) => one.bucket - other.bucket);
    return {
      tasks: list.reduce((sum, { tasks }) => sum + tasks, 0),
      p50_ms: percentileOf(sorted, 0.5),
      p95_ms: percentileOf(sorted, 0.95),
    };
  };
  const decided = number('replied') + number('failed') + number('expired');
  const since = firstQuarter(fixture, hours) * QUARTER_MS;
  const perHour = decided / ((fixture.hub.clock.now() - since) / HOUR_MS);
  return {
    queue_age_ms: null,
    time_to_start: times(of('started')),
    time_to_settle: times(of('replied', 'failed')),
    settled: {
      replied: number('replied'),
      failed: number('failed'),
      cancelled: number('cancelled'),
      expired: number('expired'),
    },
    failure_rate: decided === 0 ? null : (number('failed') + number('expired')) / decided,
    settled_per_hour: Math.round(perHour * 100) / 100,
  };
}

test.each([1, 2, 3])('figures of random counters are those of all rows together (seed %i)', async (seed) => {
  const fixture = await openBusyFixture(draws(seed));
  const networks = fixture.caller.memberships.map(({ network_id }) => network_id);
  for (const hours of HOURS) {
    const bounds = {
      since: timestamp(firstQuarter(fixture, hours) * QUARTER_MS),
      until: timestamp(fixture.hub.clock.now()),
    };
    const agents = [];
    for (const network_id of networks)
      for (const alias of ALIASES) {
        const counts = await gather(fixture, network_id, alias, hours);
        agents.push({ network_id, alias, ...expectedOf(fixture, counts, hours) });
      }
    const listed = await fixture.ask(listFigures, { hours });
    expect(JSON.stringify(listed)).toBe(JSON.stringify({ ok: true, ...bounds, agents, count: agents.length }));
    for (const alias of [undefined, 'bob', 'zoe']) {
      const counts = await Promise.all(networks.map((network) => gather(fixture, network, alias ?? '', hours)));
      const expected = { ok: true, ...bounds, ...expectedOf(fixture, counts.flat(), hours) };
      expect(JSON.stringify(await fixture.ask(getFigures, { alias, hours }))).toBe(JSON.stringify(expected));
    }
  }
});

test.each(HOURS)('throughput of random counters over %i hours is that of all rows together', async (hours) => {
  const fixture = await openBusyFixture(draws(4));
  const rows = await rowsOf(fixture, `SELECT minute, ${MOVES.join(', ')} FROM move_counts`);
  const last = Math.floor(fixture.hub.clock.now() / (hours * MINUTE_MS));
  const expected = Array.from({ length: 60 }, (_, index) => {
    const bucket = last - 59 + index;
    const own = rows.filter(({ minute }) => Math.floor(Number(minute) / hours) === bucket);
    const sums = MOVES.map((move) => [move, own.reduce((sum, row) => sum + Number(row[move]), 0)] as const);
    return { at: timestamp(bucket * hours * MINUTE_MS), ...Object.fromEntries(sums) };
  });
  const { buckets } = await fixture.ask(getThroughput, { hours });
  expect(JSON.stringify(buckets)).toBe(JSON.stringify(expected));
});
