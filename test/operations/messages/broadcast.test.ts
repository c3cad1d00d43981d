// A broadcast reaches every online agent except its sender.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { getInbox } from '../../../server/operations/agents/get-inbox.ts';
import { broadcast } from '../../../server/operations/messages/broadcast.ts';
import { insert, listUnfinished } from '../../../server/store/broadcasts.ts';
import { markRemoved } from '../../../server/store/bulk/network-removal.ts';
import { finishPortions } from '../../../server/sweeps/finish-portions.ts';
import {
  as,
  type Fixture,
  listenTo,
  openFixture,
  outcomeOf,
  report,
  restarted,
  rowsOf,
  send,
} from '../../support/fixture.ts';
import { foundNetwork } from '../../support/test-hub.ts';

async function openAgents(): Promise<Fixture> {
  const fixture = await openFixture();
  for (const [alias, status] of [
    ['ann', 'idle'],
    ['bob', 'working'],
    ['cat', 'offline'],
    ['dan', 'blocked'],
    ['eve', 'error'],
  ] as const) {
    await report(fixture, alias, { status });
  }
  return fixture;
}
const recipients = async (fixture: Fixture) =>
  (await rowsOf(fixture, "SELECT alias FROM messages WHERE type = 'broadcast' ORDER BY alias")).map(
    ({ alias }) => alias,
  );

test('a broadcast reaches every online agent as an inbox message and a stream event', async () => {
  const fixture = await openAgents();
  const received = listenTo(fixture);
  expect(await fixture.ask(broadcast, { content: 'lunch' })).toEqual({ ok: true, delivered_count: 4 });
  expect(await recipients(fixture)).toEqual(['ann', 'bob', 'dan', 'eve']);
  expect(received.map(({ name, alias }) => [name, alias])).toEqual([
    ['broadcast', 'ann'],
    ['broadcast', 'bob'],
    ['broadcast', 'dan'],
    ['broadcast', 'eve'],
  ]);
  const {
    messages: [message],
  } = await fixture.ask(getInbox, { alias: 'bob' });
  expect(message).toMatchObject({ type: 'broadcast', content: 'lunch', from_session: 'hub', priority: 'normal' });
  expect(JSON.parse(received[1]?.data ?? '')).toEqual({
    type: 'broadcast',
    content: 'lunch',
    from: 'hub',
    message_id: message?.id,
  });
});

test.each([
  ['its alias', 'bob'],
  ['its resume_id', 'bob-1'],
])('it does not reach its sender, identified by %s', async (_, from_session) => {
  const fixture = await openAgents();
  expect(await fixture.ask(broadcast, { content: 'lunch', from_session })).toMatchObject({ delivered_count: 3 });
  expect(await recipients(fixture)).toEqual(['ann', 'dan', 'eve']);
});

test('it does not reach silent agents, but does reach those that polled in time', async () => {
  const fixture = await openAgents();
  fixture.hub.clock.advance(599_000);
  await fixture.ask(getInbox, { alias: 'ann' });
  fixture.hub.clock.advance(1_001);
  expect(await fixture.ask(broadcast, { content: 'lunch' })).toMatchObject({ delivered_count: 1 });
  expect(await recipients(fixture)).toEqual(['ann']);
});

test('without online agents, nothing is delivered', async () => {
  const fixture = await openFixture();
  expect(await fixture.ask(broadcast, { content: 'hello?' })).toEqual({ ok: true, delivered_count: 0 });
});

test('it stays within its network', async () => {
  const fixture = await openAgents();
  const other = as(fixture, await foundNetwork(fixture.hub));
  await report(other, 'zoe');
  expect(await other.ask(broadcast, { content: 'lunch' })).toEqual({ ok: true, delivered_count: 1 });
  expect(await recipients(fixture)).toEqual(['zoe']);
});

test('a text too long for all recipients together is rejected, and nothing is delivered', async () => {
  const fixture = await openFixture();
  await Promise.all(Array.from({ length: 300 }, (_, number) => report(fixture, `agent-${number}`)));
  const content = '\u0001'.repeat(10_000); // six bytes each in JSON
  await expect(fixture.ask(broadcast, { content })).rejects.toThrow(
    'content is too long for 300 online agents: at most 55924 bytes each (16 MiB in all)',
  );
  expect(await recipients(fixture)).toEqual([]);
  expect(await fixture.ask(broadcast, { content: content.slice(0, 9_000) })).toMatchObject({ delivered_count: 300 });
});

test('others can read while a broadcast to thousands is stored and published', async () => {
  const fixture = await openFixture();
  for (let first = 0; first < 3_000; first += 250) {
    await Promise.all(Array.from({ length: 250 }, (_, index) => report(fixture, `agent-${first + index}`)));
  }
  let isOver = false;
  let reads = 0;
  const sent = fixture.ask(broadcast, { content: 'all hands' });
  const delivered = sent.then(() => fixture.hub.unfinishedBroadcasts.waitForAll()).finally(() => (isOver = true));
  while (!isOver) {
    await fixture.hub.store.read((reader) => reader.first('SELECT 1'));
    if (!isOver) reads += 1;
  }
  await delivered;
  expect(await sent).toEqual({ ok: true, delivered_count: 3_000 });
  expect(reads).toBeGreaterThanOrEqual(3);
  expect(
    await rowsOf(
      fixture,
      "SELECT count(*) AS count, count(DISTINCT alias) AS aliases FROM events WHERE name = 'broadcast'",
    ),
  ).toEqual([{ count: 3_000, aliases: 3_000 }]);
});

/** The aliases of all statuses alternate, and their order is not that of UTF-16. */
const aliasOf = (number: number): string => `${['a', '\u{1f600}', '\uff21'][number % 3]}-${number}`;
const statusOf = (number: number) => ({ status: ['idle', 'working', 'blocked', 'error'][number % 4] });

async function openManyAgents(agents: number): Promise<Fixture> {
  const fixture = await openFixture();
  for (let first = 0; first < agents; first += 250) {
    await Promise.all(
      Array.from({ length: Math.min(250, agents - first) }, (_, index) =>
        report(fixture, aliasOf(first + index), statusOf(first + index)),
      ),
    );
  }
  return fixture;
}

const unfinished = (fixture: Fixture) => fixture.hub.store.read((reader) => listUnfinished(reader, 0));
const countsPerAgent = (fixture: Fixture) =>
  rowsOf(
    fixture,
    `SELECT count(*) AS agents, max(messages) AS most FROM
  (SELECT count(*) AS messages FROM messages WHERE type = 'broadcast' GROUP BY alias)`,
  );

const commitsOf = ({ hub: { metrics } }: Fixture) => metrics.groups.counts.reduce((sum, count) => sum + count, 0);

test.each([127, 128, 129, 700])('each of %i agents gets it once, in commits of 128', async (agents) => {
  const fixture = await openManyAgents(agents);
  const events = listenTo(fixture);
  const before = commitsOf(fixture);
  expect(await fixture.ask(broadcast, { content: 'lunch' })).toEqual({ ok: true, delivered_count: agents });
  await fixture.hub.unfinishedBroadcasts.waitForAll();
  expect(await countsPerAgent(fixture)).toEqual([{ agents, most: 1 }]);
  expect(new Set(events.map(({ alias }) => alias)).size).toBe(agents);
  expect(commitsOf(fixture) - before).toBe(Math.floor(agents / 128) + 1);
  expect(await unfinished(fixture)).toEqual([]);
});

test('agents with long aliases get it in smaller commits, each once', async () => {
  const fixture = await openFixture();
  const agents = 150;
  for (let number = 0; number < agents; number++) await report(fixture, `${'\u{1f600}'.repeat(190)}-${number}`);
  const before = commitsOf(fixture);
  expect(await fixture.ask(broadcast, { content: 'lunch' })).toEqual({ ok: true, delivered_count: agents });
  await fixture.hub.unfinishedBroadcasts.waitForAll();
  expect(await countsPerAgent(fixture)).toEqual([{ agents, most: 1 }]);
  expect(commitsOf(fixture) - before).toBe(8); // of 21 agents each, and the last three
  expect(await unfinished(fixture)).toEqual([]);
});

test('the count of many leaves out the sender and full inboxes, as the delivery does', async () => {
  const fixture = await openFixture({ max_pending_messages: 1 });
  for (let number = 0; number < 300; number++) await report(fixture, aliasOf(number), statusOf(number));
  for (const number of [3, 200]) await send(fixture, { alias: aliasOf(number) });
  const from_session = `${aliasOf(5)}-1`; // the resume_id of one of them
  expect(await fixture.ask(broadcast, { content: 'lunch', from_session })).toEqual({ ok: true, delivered_count: 297 });
  await fixture.hub.unfinishedBroadcasts.waitForAll();
  expect(await countsPerAgent(fixture)).toEqual([{ agents: 297, most: 1 }]);
  expect(await recipients(fixture)).not.toContain(aliasOf(5));
});

test('a large broadcast is acknowledged after its first commit, and reaches all even if its sender disconnects', async () => {
  const fixture = await openManyAgents(1_000);
  const seen = listenTo(fixture);
  const sender = as(fixture, { access_version: fixture.hub.store.accessVersion() });
  expect(await sender.ask(broadcast, { content: 'lunch' })).toEqual({ ok: true, delivered_count: 1_000 });
  expect(seen.length).toBeLessThan(500);
  await fixture.hub.store.write((tx) =>
    tx.run('DELETE FROM members WHERE user_id = ?', [fixture.caller.user_id], 'rights'),
  );
  await fixture.hub.unfinishedBroadcasts.waitForAll();
  expect(await outcomeOf(sender.ask(broadcast, { content: 'dinner' }))).toBe('unauthorized');
  expect(await countsPerAgent(fixture)).toEqual([{ agents: 1_000, most: 1 }]);
});

test('later broadcasts of the network wait for it, and those of other networks do not', async () => {
  const fixture = await openManyAgents(1_000);
  const other = as(fixture, await foundNetwork(fixture.hub));
  await report(other, 'zoe');
  const arrived = listenTo(fixture);
  await fixture.ask(broadcast, { content: 'first' });
  const next = ['second', 'third'].map(async (content) => {
    await fixture.ask(broadcast, { content });
    return arrived.length;
  });
  await other.ask(broadcast, { content: 'lunch' });
  expect(arrived.length).toBeLessThan(1_000);
  for (const reached of await Promise.all(next)) expect(reached).toBeGreaterThanOrEqual(1_000);
  await fixture.hub.unfinishedBroadcasts.waitForAll();
  expect(arrived.length).toBe(3_000);
  expect(
    await rowsOf(
      fixture,
      `SELECT count(*) AS agents FROM (SELECT alias FROM messages m JOIN broadcasts b USING (broadcast_seq)
    WHERE m.network_seq = 1 GROUP BY alias HAVING min(CASE b.content WHEN 'first' THEN message_seq END) = min(message_seq)) firsts`,
    ),
  ).toEqual([{ agents: 1_000 }]);
});

test('broadcasts still queued when the hub stops are rejected', async () => {
  const fixture = await openManyAgents(1_000);
  await fixture.ask(broadcast, { content: 'first' });
  const waiting = Array.from({ length: 5 }, (_, index) =>
    outcomeOf(fixture.ask(broadcast, { content: `later ${index}` })),
  );
  await nextTurn(); // long before the last of the eight commits
  fixture.hub.life.isStopping = true;
  expect(await Promise.all(waiting)).toEqual(Array(5).fill('unavailable'));
  expect(await rowsOf(fixture, 'SELECT content FROM broadcasts')).toEqual([{ content: 'first' }]);
});

test('sends in another network complete between the commits of a large broadcast', async () => {
  const fixture = await openManyAgents(1_000);
  const other = as(fixture, await foundNetwork(fixture.hub));
  const received = listenTo(fixture);
  const reachedAt: number[] = [];
  await fixture.ask(broadcast, { content: 'all hands' });
  for (let number = 0; number < 3; number++) {
    await send(other, { task: `task ${number}` });
    reachedAt.push(received.length);
  }
  expect(reachedAt.every((reached) => reached < 1_000)).toBe(true);
});

test('an interrupted broadcast is finished after a restart, and a repeated call with its key does nothing', async () => {
  const before = await openManyAgents(600);
  const call = { content: 'lunch', idempotency_key: 'once' };
  before.hub.life.isStopping = true;
  expect(await before.ask(broadcast, call)).toEqual({ ok: true, delivered_count: 600 });
  await before.hub.unfinishedBroadcasts.waitForAll();
  expect(await countsPerAgent(before)).toEqual([{ agents: 128, most: 1 }]);
  const fixture = await restarted(before);
  expect(await unfinished(fixture)).toHaveLength(1);
  expect(await finishPortions(fixture.hub)).toMatchObject({ broadcasts: 1 });
  expect(await countsPerAgent(fixture)).toEqual([{ agents: 600, most: 1 }]);
  expect(await fixture.ask(broadcast, call)).toEqual({ ok: true, delivered_count: 600 });
  expect(await countsPerAgent(fixture)).toEqual([{ agents: 600, most: 1 }]);
  expect(await finishPortions(fixture.hub)).toMatchObject({ broadcasts: 0 });
});

test('more unfinished broadcasts than fit a page are finished in one run', async () => {
  const fixture = await openManyAgents(2);
  const { network_id } = fixture.caller;
  const notReached = { network_id, content: 'lunch', from_session: 'hub', delivered_to: '' };
  await fixture.hub.store.write(async (tx) => {
    for (let number = 0; number < 101; number++) await insert(tx, notReached);
  });
  expect(await finishPortions(fixture.hub)).toMatchObject({ broadcasts: 101 });
  expect(await countsPerAgent(fixture)).toEqual([{ agents: 2, most: 101 }]);
});

test('two concurrent runs that finish the same broadcast deliver it once', async () => {
  const fixture = await openManyAgents(900);
  await fixture.ask(broadcast, { content: 'lunch' });
  await Promise.all([
    fixture.hub.unfinishedBroadcasts.waitForAll(),
    finishPortions(fixture.hub),
    finishPortions(fixture.hub),
  ]);
  expect(await countsPerAgent(fixture)).toEqual([{ agents: 900, most: 1 }]);
});

test('a broadcast of a removed network is dropped', async () => {
  const fixture = await openManyAgents(300);
  await fixture.hub.store.write((tx) =>
    insert(tx, {
      network_id: fixture.caller.network_id,
      content: 'lunch',
      from_session: 'hub',
      delivered_to: 'agent-0',
    }),
  );
  await fixture.hub.store.write((tx) => markRemoved(tx, fixture.caller.network_id));
  expect(await finishPortions(fixture.hub)).toMatchObject({ broadcasts: 0 });
  expect(await recipients(fixture)).toEqual([]);
});
