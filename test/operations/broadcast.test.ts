// A broadcast reaches everybody who is there, but its sender.
import { expect, test } from 'vitest';
import { getInbox } from '../../server/operations/agents/get-inbox.ts';
import { broadcast } from '../../server/operations/messages/broadcast.ts';
import { foundNetwork } from '../support/test-hub.ts';
import { as, listenTo, openScene, report, rowsOf, type Scene } from '../support/scene.ts';

async function openCrowd(): Promise<Scene> {
  const scene = await openScene();
  for (const [alias, status] of [['ann', 'idle'], ['bob', 'working'], ['cat', 'offline'], ['dan', 'blocked'], ['eve', 'error']] as const) {
    await report(scene, alias, { status });
  }
  return scene;
}
const recipients = async (scene: Scene) => (await rowsOf(scene, "SELECT alias FROM messages WHERE type = 'broadcast' ORDER BY alias")).map(({ alias }) => alias);

test('a broadcast reaches every online agent as inbox message and stream event', async () => {
  const scene = await openCrowd();
  const heard = listenTo(scene);
  expect(await scene.ask(broadcast, { content: 'lunch' })).toEqual({ ok: true, delivered_count: 4 });
  expect(await recipients(scene)).toEqual(['ann', 'bob', 'dan', 'eve']);
  expect(heard.map(({ name, alias }) => [name, alias])).toEqual([['broadcast', 'ann'], ['broadcast', 'bob'], ['broadcast', 'dan'], ['broadcast', 'eve']]);
  const { messages: [message] } = await scene.ask(getInbox, { alias: 'bob' });
  expect(message).toMatchObject({ type: 'broadcast', content: 'lunch', from_session: 'hub', priority: 'normal' });
  expect(JSON.parse(heard[1]?.data ?? '')).toEqual({ type: 'broadcast', content: 'lunch', from: 'hub', message_id: message?.id });
});

test.each([['its alias', 'bob'], ['its resume_id', 'bob-1']])('it does not reach its sender, known by %s', async (_, from_session) => {
  const scene = await openCrowd();
  expect(await scene.ask(broadcast, { content: 'lunch', from_session })).toMatchObject({ delivered_count: 3 });
  expect(await recipients(scene)).toEqual(['ann', 'dan', 'eve']);
});

test('it does not reach who fell silent, but does reach who polled in time', async () => {
  const scene = await openCrowd();
  scene.hub.clock.advance(599_000);
  await scene.ask(getInbox, { alias: 'ann' });
  scene.hub.clock.advance(1_001);
  expect(await scene.ask(broadcast, { content: 'lunch' })).toMatchObject({ delivered_count: 1 });
  expect(await recipients(scene)).toEqual(['ann']);
});

test('where nobody is there, nothing is delivered', async () => {
  const scene = await openScene();
  expect(await scene.ask(broadcast, { content: 'hello?' })).toEqual({ ok: true, delivered_count: 0 });
});

test('it stays within its network', async () => {
  const scene = await openCrowd();
  const other = as(scene, await foundNetwork(scene.hub));
  await report(other, 'zoe');
  expect(await other.ask(broadcast, { content: 'lunch' })).toEqual({ ok: true, delivered_count: 1 });
  expect(await recipients(scene)).toEqual(['zoe']);
});

test('a text that is too long for all its recipients together is refused, and nobody gets it', async () => {
  const scene = await openScene();
  await Promise.all(Array.from({ length: 300 }, (_, number) => report(scene, `agent-${number}`)));
  const content = '\u0001'.repeat(10_000); // six bytes each in JSON
  await expect(scene.ask(broadcast, { content })).rejects.toThrow(
    'content is too long for 300 online agents: at most 55924 bytes each (16 MiB in all)',
  );
  expect(await recipients(scene)).toEqual([]);
  expect(await scene.ask(broadcast, { content: content.slice(0, 9_000) })).toMatchObject({ delivered_count: 300 });
});

test('others read while a broadcast to thousands is stored and published', async () => {
  const scene = await openScene();
  for (let first = 0; first < 3_000; first += 250) {
    await Promise.all(Array.from({ length: 250 }, (_, index) => report(scene, `agent-${first + index}`)));
  }
  let isOver = false;
  let reads = 0;
  const sent = scene.ask(broadcast, { content: 'all hands' }).finally(() => (isOver = true));
  while (!isOver) {
    await scene.hub.store.read((reader) => reader.first('SELECT 1'));
    if (!isOver) reads += 1;
  }
  expect(await sent).toEqual({ ok: true, delivered_count: 3_000 });
  expect(reads).toBeGreaterThanOrEqual(3);
  expect(await rowsOf(scene, "SELECT count(*) AS count, count(DISTINCT alias) AS aliases FROM events WHERE name = 'broadcast'")).toEqual([{ count: 3_000, aliases: 3_000 }]);
});
