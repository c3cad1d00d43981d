// A network goes whole, in portions that let others be served, and nothing of another goes with it.
import { expect, test } from 'vitest';
import { reportCompletion } from '../../server/operations/agents/report-completion.ts';
import { broadcast } from '../../server/operations/messages/broadcast.ts';
import * as networks from '../../server/store/networks.ts';
import { as, dump, openScene, report, send, type Row, type Scene } from '../support/scene.ts';
import { foundNetwork } from '../support/test-hub.ts';

const TASKS = 250;

type Numbered = { network_id: string; network_seq: number | null };

/** Tables that have rows of this network, by its id or its number, and how many. */
function countOf(tables: Record<string, Row[]>, network: Numbered): Record<string, number> {
  const isOfNetwork = (row: Row): boolean => row['network_id'] === network.network_id || row['network_seq'] === network.network_seq;
  const counts = Object.entries(tables).map(([name, rows]) => [name, rows.filter(isOfNetwork).length] as const);
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
  const [gone, left] = await numbered(scene, other);
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
  }, gone.network_id));
  const after = await dump(scene);
  expect(pauses).toBeGreaterThan((2 * TASKS) / 100);
  expect(most).toBeLessThanOrEqual(100);
  expect(countOf(after, gone)).toEqual({});
  expect(after.broadcasts).toHaveLength(1);
  expect(countOf(after, left)).toEqual(countOf(before, left));
  expect(Object.keys(countOf(before, gone))).toEqual(expect.arrayContaining(['broadcasts', 'completions', 'events', 'inboxes', 'messages', 'sessions', 'task_counts', 'task_events', 'tasks']));
});

function numbered(...scenes: [Scene, Scene]): Promise<[Numbered, Numbered]> {
  const [{ hub }] = scenes;
  return hub.store.read(async (reader) => {
    const numberOf = ({ caller: { network_id } }: Scene): Numbered => ({ network_id, network_seq: reader.networkSeq(network_id) });
    return [numberOf(scenes[0]), numberOf(scenes[1])];
  });
}
