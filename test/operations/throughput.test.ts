// How many tasks were sent and settled per bucket: the numbers of the ledger, for any bucket width.
import { expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../server/domain/time/time.ts';
import { sendReply } from '../../server/operations/messages/send-reply.ts';
import { getThroughput } from '../../server/operations/records/get-throughput.ts';
import { cancelTask } from '../../server/operations/tasks/cancel-task.ts';
import { retryTask } from '../../server/operations/tasks/retry-task.ts';
import { expire, pruneEvents } from '../../server/sweeps/sweeps.ts';
import { as, type Fixture, openFixture, report, rowsOf, send } from '../support/fixture.ts';
import { foundNetwork } from '../support/test-hub.ts';

const MOVES = ['sent', 'replied', 'failed', 'cancelled', 'expired'] as const;

/** Tasks over two days: every kind of transition, at times in different buckets. */
async function liveThroughTwoDays(fixture: Fixture): Promise<void> {
  const { clock } = fixture.hub;
  for (const step of [0, MINUTE_MS - 1, MINUTE_MS, 47 * MINUTE_MS, 5 * HOUR_MS, 41 * HOUR_MS]) {
    clock.advance(step);
    await report(fixture, 'bob');
    const [replied, failed, cancelled] = await Promise.all(
      ['a', 'b', 'c', 'd'].map((task) => send(fixture, { task, ttl_seconds: 60 })),
    );
    await fixture.ask(sendReply, { alias: 'alice', in_reply_to: replied, from_session: 'bob', text: 'done' });
    await fixture.ask(sendReply, {
      alias: 'alice',
      in_reply_to: failed,
      from_session: 'bob',
      text: 'no',
      status: 'failed',
    });
    await fixture.ask(retryTask, { task_id: failed }); // sends nothing new
    await fixture.ask(cancelTask, { task_id: cancelled });
    clock.advance(2 * MINUTE_MS);
    await expire(fixture.hub); // the fourth task and the retried one expire
  }
}

/** Timestamps are in UTC. */
const momentOf = (timestamp: string): number => Date.parse(`${timestamp.replace(' ', 'T')}Z`);

/** The same numbers, computed from the ledger. */
function fromLedger(fixture: Fixture, width: number) {
  return rowsOf(
    fixture,
    `SELECT task_events.created_at / ? AS bucket, CASE WHEN from_status IS NULL THEN 'sent' ELSE to_status END AS move, count(*) AS count
     FROM task_events JOIN networks USING (network_seq) WHERE network_id = ? AND (from_status IS NULL OR to_status IN ('replied', 'failed', 'cancelled', 'expired'))
     GROUP BY 1, 2 ORDER BY 1, 2`,
    width,
    fixture.caller.network_id,
  );
}

test.each([1, 2, 24, 168])('over %i hours each bucket shows the numbers of the ledger', async (hours) => {
  const fixture = await openFixture();
  const other = as(fixture, await foundNetwork(fixture.hub));
  await send(other);
  await liveThroughTwoDays(fixture);
  const width = hours * MINUTE_MS;
  const { bucket_seconds, buckets } = await fixture.ask(getThroughput, { hours });
  expect([bucket_seconds * 1000, buckets.length, momentOf(buckets.at(-1)?.at ?? '')]).toEqual([
    width,
    60,
    Math.floor(fixture.hub.clock.now() / width) * width,
  ]);
  const shown = buckets.flatMap((bucket) =>
    MOVES.toSorted()
      .filter((move) => bucket[move] > 0)
      .map((move) => ({ bucket: momentOf(bucket.at) / width, move, count: bucket[move] })),
  );
  const first = momentOf(buckets[0]?.at ?? '') / width;
  expect(shown).toEqual((await fromLedger(fixture, width)).filter(({ bucket }) => Number(bucket) >= first));
  expect(shown.length).toBeGreaterThan(0);
});

test('records older than the statistics are deleted', async () => {
  const fixture = await openFixture();
  await liveThroughTwoDays(fixture);
  const rows = () => rowsOf(fixture, 'SELECT min(minute) AS minute, count(*) AS count FROM move_counts');
  const before = await rows();
  await pruneEvents(fixture.hub);
  expect(await rows()).toEqual(before);
  fixture.hub.clock.advance(168 * HOUR_MS);
  await send(fixture);
  await pruneEvents(fixture.hub);
  expect(await rows()).not.toEqual(before);
  fixture.hub.clock.advance(170 * HOUR_MS);
  await pruneEvents(fixture.hub);
  expect(await rows()).toEqual([{ minute: null, count: 0 }]);
});
