// Write-behind updates that follow a response. None is lost when the commit that includes it fails.
import { expect, test } from 'vitest';
import { flushWriteBehind } from '../../../server/operations/write-behind.ts';
import { openFixture, rowsOf, send } from '../../support/fixture.ts';

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
