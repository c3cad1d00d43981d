// Write-behind updates that follow a response. None is lost when the commit that includes it fails.
import { expect, test } from 'vitest';
import { flushWriteBehind } from '../../../server/operations/write-behind.ts';
import { openScene, rowsOf, send } from '../../support/scene.ts';

const FULL = 13; // SQLITE_FULL

test('a push mark lost to a full disk is written with the next commit', async () => {
  const scene = await openScene();
  const id = await send(scene, { alias: 'bob' });
  const pushedAt = scene.hub.clock.now();
  scene.hub.writeBehind.notified(id, pushedAt);
  scene.hub.clock.advance(1_000);
  const outcomes = await Promise.allSettled([
    scene.hub.store.write(() =>
      Promise.reject(Object.assign(new Error('database or disk is full'), { rawCode: FULL })),
    ),
    flushWriteBehind(scene.hub),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await flushWriteBehind(scene.hub)).toEqual({ notified: 1, used: 0 });
  expect(
    await rowsOf(scene, 'SELECT notified_at FROM messages JOIN tasks USING (task_seq) WHERE task_id = ?', id),
  ).toEqual([{ notified_at: pushedAt }]);
  expect(await flushWriteBehind(scene.hub)).toEqual({ notified: 0, used: 0 });
});
