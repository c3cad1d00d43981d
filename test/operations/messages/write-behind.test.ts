// Write-behind updates that follow a response. None is lost when the commit that includes it fails.
import { expect, test } from 'vitest';
import { openWriteBehind } from '../../../server/events/write-behind.ts';
import { flushWriteBehind } from '../../../server/operations/write-behind.ts';
import { openFixture, rowsOf, send } from '../../support/fixture.ts';
import { ON_POSTGRES } from '../../support/store/postgres.ts';
import { ticking } from '../../support/ticking.ts';
import { watched } from '../../support/watched-writes.ts';

const FULL = 13; // SQLITE_FULL

// The disk of a file: that of a server is not the hub's.
test.skipIf(ON_POSTGRES)('a push mark lost to a full disk is written with the next commit', async () => {
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

test('a flush ends although a push arrives with each of its commits', async () => {
  const fixture = await openFixture();
  const ids = [];
  for (let number = 0; number < 40; number++) ids.push(await send(fixture, { task: `task ${number}` }));
  const [present, later] = [ids.slice(0, 20), ids.slice(20)];
  const { writeBehind, clock, store } = fixture.hub;
  for (const id of present) writeBehind.notified(id, clock.now());
  const busy: typeof store.write = async (...args) => {
    const id = later.shift();
    if (id !== undefined) writeBehind.notified(id, clock.now());
    return store.write(...args);
  };
  expect(await flushWriteBehind(fixture.hub, { write: busy }, ticking(10))).toEqual({ notified: 20, used: 0 });
  expect(writeBehind.notifiedCount()).toBe(20 - later.length);
  const marked = await rowsOf(
    fixture,
    'SELECT task_id FROM messages JOIN tasks USING (task_seq) WHERE notified_at IS NOT NULL ORDER BY task_seq',
  );
  expect(marked.map(({ task_id }) => task_id)).toEqual(present);
});

test('a mark that is given back comes before newer ones and keeps its time', () => {
  const writeBehind = openWriteBehind();
  writeBehind.notified('first', 1);
  writeBehind.notified('second', 2);
  const notified = writeBehind.takeNotified(2);
  writeBehind.notified('third', 3);
  writeBehind.notified('first', 4);
  writeBehind.giveBack({ notified, used: new Map() });
  expect(writeBehind.takeNotified(3)).toEqual([
    ['first', 1],
    ['second', 2],
    ['third', 3],
  ]);
});
