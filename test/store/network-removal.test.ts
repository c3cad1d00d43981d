// A network goes whole, in portions that let others be served, and nothing of another goes with it.
import { expect, test } from 'vitest';
import { reportCompletion } from '../../server/operations/agents/report-completion.ts';
import { broadcast } from '../../server/operations/messages/broadcast.ts';
import * as networks from '../../server/store/networks.ts';
import { as, dump, openScene, report, send, type Row } from '../support/scene.ts';
import { foundNetwork } from '../support/test-hub.ts';

const TASKS = 250;

/** Tables that have rows of this network, and how many. */
function countOf(tables: Record<string, Row[]>, networkId: string): Record<string, number> {
  const counts = Object.entries(tables).map(([name, rows]) => [name, rows.filter(({ network_id }) => network_id === networkId).length] as const);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

test('it is removed in portions, with a pause after each, and leaves the network next door as it was', async () => {
  const scene = await openScene();
  const other = as(scene, await foundNetwork(scene.hub));
  for (const each of [scene, other]) {
    await report(each, 'bob');
    await Promise.all(Array.from({ length: TASKS }, (_, number) => send(each, { task: `task ${number}` })));
    await each.ask(reportCompletion, { alias: 'bob', task: 'task 1', result: 'done' });
    await each.ask(broadcast, { content: 'to all' });
  }
  const { network_id: networkId } = scene.caller;
  const before = await dump(scene);
  let pauses = 0;
  let most = 0;
  await scene.hub.store.write((tx) => networks.remove({
    ...tx,
    run: async (sql, args) => {
      const result = await tx.run(sql, args);
      if (sql.includes('LIMIT')) most = Math.max(most, result.changes);
      return result;
    },
    pause: async () => void (pauses += 1),
  }, networkId));
  const after = await dump(scene);
  expect(pauses).toBeGreaterThan((2 * TASKS) / 100);
  expect(most).toBeLessThanOrEqual(100);
  expect(countOf(after, networkId)).toEqual({});
  expect(after.broadcasts).toHaveLength(1);
  const { network_id: otherId } = other.caller;
  expect(countOf(after, otherId)).toEqual(countOf(before, otherId));
});
