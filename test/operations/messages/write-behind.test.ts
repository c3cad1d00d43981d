// Write-behind updates that follow a response. None is lost when the commit that includes it fails.
import { expect, test } from 'vitest';
import { flushWriteBehind } from '../../../server/operations/write-behind.ts';
import { openFixture, rowsOf, send } from '../../support/fixture.ts';
import { ticking } from '../../support/ticking.ts';
import { watched } from '../../support/watched-writes.ts';

const FULL = 13; // SQLITE_FULL

test('a push mark lost to a full disk is written with the next commit', async () => {
  const fixture = await openFixture();
  const id = await send(fixture, { alias: 'bob' });
  const pushedAt = fixture.hub.clock.now();
  fixture.hub.writeBehind.notified(id, pushedAt);
  fixture.hub.clock.advance(1_000);
  const outcomes = await Promise.allSettled([
    fixture.hub.store.write(() =>
      Promise.reject(Object.assign(new Error('database or disk is full'), { rawCode: FULL })),
    ),
    flushWriteBehind(fixture.hub),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await flushWriteBehind(fixture.hub)).toEqual({ notified: 1, used: 0 });
  expect(
    await rowsOf(fixture, 'SELECT notified_at FROM messages JOIN tasks USING (task_seq) WHERE task_id = ?', id),
  ).toEqual([{ notified_at: pushedAt }]);
  expect(await flushWriteBehind(fixture.hub)).toEqual({ notified: 0, used: 0 });
});

test.each([
  { rows: 'slow', stepMs: 10, least: 20, most: 100 },
  { rows: 'fast', stepMs: 0.001, least: 1, most: 1 },
])('many push marks are written in portions, small ones if rows are $rows', async ({ stepMs, least, most }) => {
  const fixture = await openFixture();
  for (let number = 0; number < 100; number++)
    fixture.hub.writeBehind.notified(await send(fixture, { task: `task ${number}` }), fixture.hub.clock.now());
  const { seen, hub } = watched(fixture.hub);
  expect(await flushWriteBehind(hub, hub.store, ticking(stepMs))).toEqual({ notified: 100, used: 0 });
  expect(seen.writes).toBeGreaterThanOrEqual(least);
  expect(seen.writes).toBeLessThanOrEqual(most);
  expect(await rowsOf(fixture, 'SELECT count(*) AS count FROM messages WHERE notified_at IS NULL')).toEqual([
    { count: 0 },
  ]);
});
