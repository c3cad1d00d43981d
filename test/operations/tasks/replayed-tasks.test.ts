// Event replay from data that is not stored as events: task transitions, with a send as two events in one row, and
// messages.
import { describe, expect, test } from 'vitest';
import type { StreamEvent } from '../../../server/domain/events.ts';
import { ackInbox } from '../../../server/operations/agents/ack-inbox.ts';
import { getInbox } from '../../../server/operations/agents/get-inbox.ts';
import { broadcast } from '../../../server/operations/messages/broadcast.ts';
import { sendMessage } from '../../../server/operations/messages/send-message.ts';
import { sendReply } from '../../../server/operations/messages/send-reply.ts';
import { cancelTask } from '../../../server/operations/tasks/cancel-task.ts';
import { getTask } from '../../../server/operations/tasks/get-task.ts';
import { reassignTask } from '../../../server/operations/tasks/reassign-task.ts';
import { retryTask } from '../../../server/operations/tasks/retry-task.ts';
import { listMissed } from '../../../server/store/lists/replay.ts';
import { as, type Fixture, listenTo, openFixture, report, rowsOf, send } from '../../support/fixture.ts';
import { foundNetwork } from '../../support/test-hub.ts';

/** Every kind of event, and every task transition. Returns the events received, and the tasks. */
async function createEvents(fixture: Fixture): Promise<{ received: StreamEvent[]; tasks: string[] }> {
  const seen = listenTo(fixture);
  for (const alias of ['alice', 'bob', 'carol']) await report(fixture, alias);
  const [first, second, third] = [
    await send(fixture, { context: 'main' }),
    await send(fixture, { task: 'second' }),
    await send(fixture, { task: 'third', alias: 'carol' }),
  ];
  await fixture.ask(ackInbox, { alias: 'bob', message_id: first });
  await fixture.ask(sendReply, { alias: 'alice', text: 'built', in_reply_to: first, from_session: 'bob' });
  await fixture.ask(reassignTask, { task_id: second, new_alias: 'carol' });
  await fixture.ask(cancelTask, { task_id: second });
  await fixture.ask(retryTask, { task_id: second });
  await fixture.ask(sendMessage, { alias: 'bob', message: 'hello' });
  await fixture.ask(broadcast, { content: 'all hands', from_session: 'alice' });
  await Promise.all([
    send(fixture, { task: 'fourth' }),
    fixture.ask(sendMessage, { alias: 'bob', message: 'in one commit' }),
    send(fixture, { task: 'fifth' }),
  ]);
  return { received: seen, tasks: [first, second, third] };
}

const missed = async ({ hub, caller }: Fixture, alias: string | undefined, after: number, limit = 1_000) =>
  (
    await hub.store.read((reader) =>
      listMissed(reader, { networks: [caller.network_id], alias, after, limit, characters: Infinity, rows: 1_000 }),
    )
  ).found;

const named = ({ seq, name, alias }: StreamEvent) => [seq, name, alias];

describe.each([undefined, 'alice', 'bob', 'carol'])('the events of %s', (alias) => {
  const isOf = (event: StreamEvent): boolean => alias === undefined || event.alias === alias;

  test('are replayed from any position as they were published: all of them, in order, with the same numbers', async () => {
    const fixture = await openFixture();
    const { received } = await createEvents(fixture);
    expect(received.map(({ seq }) => seq)).toEqual(received.map((_, index) => index + 1));
    for (let after = 0; after <= received.length; after++) {
      expect((await missed(fixture, alias, after)).map(named)).toEqual(
        received.filter((event) => isOf(event) && event.seq > after).map(named),
      );
    }
  });

  test.each([1, 2, 3])('come in pages of %i without gaps or repetitions', async (limit) => {
    const fixture = await openFixture();
    const { received } = await createEvents(fixture);
    const got: StreamEvent[] = [];
    for (
      let page = await missed(fixture, alias, 0, limit);
      page.length > 0;
      page = await missed(fixture, alias, got.at(-1)?.seq ?? 0, limit)
    )
      got.push(...page);
    expect(got.map(named)).toEqual(received.filter(isOf).map(named));
  });
});

test.each([1, 2, 3, 10, 100])('%i rows at a time, the events of several networks are found, in order', async (rows) => {
  const fixture = await openFixture();
  const other = as(fixture, await foundNetwork(fixture.hub));
  const networks = [fixture.caller.network_id, other.caller.network_id];
  const received: StreamEvent[] = [];
  fixture.hub.broker.subscribe({ networks }, (event) => received.push(event));
  for (const each of [fixture, other, fixture]) await createEvents(each);
  for (const [alias, limit] of [
    [undefined, 1],
    [undefined, 25],
    ['bob', 2],
    ['carol', 25],
    ['nobody', 25],
  ] as const) {
    const got: StreamEvent[] = [];
    for (let end: number | undefined = 0; end !== undefined; ) {
      const after: number = end;
      const page = await fixture.hub.store.read((reader) =>
        listMissed(reader, { networks, alias, after, limit, characters: Infinity, rows }),
      );
      expect(page.found.length).toBeLessThanOrEqual(limit);
      expect(page.end ?? Infinity).toBeGreaterThan(after);
      got.push(...page.found);
      end = page.end;
    }
    expect(got.map(named)).toEqual(received.filter((event) => alias === undefined || event.alias === alias).map(named));
  }
});

test('a page ends before too many characters, with at least one event, and misses none', async () => {
  const fixture = await openFixture();
  const { received } = await createEvents(fixture);
  const networks = [fixture.caller.network_id];
  for (const characters of [0, 300, 2_000]) {
    const got: StreamEvent[] = [];
    for (let end: number | undefined = 0; end !== undefined; ) {
      const after: number = end;
      const asked = { networks, alias: undefined, after, limit: 25, characters, rows: 1_000 };
      const page = await fixture.hub.store.read((reader) => listMissed(reader, asked));
      const length = page.found.reduce((sum, { data }) => sum + data.length, 0);
      if (page.found.length > 1) expect(length).toBeLessThanOrEqual(characters);
      if (page.end !== undefined) expect(page.found.length).toBeGreaterThan(0);
      got.push(...page.found);
      end = page.end;
    }
    expect(got.map(named)).toEqual(received.map(named));
  }
});

test('a page reads few long texts beyond its end', async () => {
  const fixture = await openFixture();
  const text = 'x'.repeat(9_000);
  for (let number = 0; number < 25; number++) await send(fixture, { task: `${number} ${text}` });
  const texts: number[] = [];
  await fixture.hub.store.read((reader) => {
    const all: typeof reader.all = async (sql, ...rest) => {
      const rows = await reader.all(sql, ...rest);
      if (rows.some((row) => JSON.stringify(row).includes(text))) texts.push(rows.length);
      return rows as never;
    };
    const networks = [fixture.caller.network_id];
    return listMissed(
      { ...reader, all },
      { networks, alias: undefined, after: 0, limit: 25, characters: 20_000, rows: 1_000 },
    );
  });
  const read = texts.reduce((sum, count) => sum + count, 0);
  expect(read).toBeGreaterThan(0);
  expect(read).toBeLessThanOrEqual(6);
});

test('a search ends after its rows, even if it finds nothing', async () => {
  const fixture = await openFixture();
  for (let number = 1; number <= 100; number++) await fixture.ask(sendMessage, { alias: 'bob', message: `${number}` });
  const search = (alias: string, after: number) =>
    fixture.hub.store.read((reader) =>
      listMissed(reader, {
        networks: [fixture.caller.network_id],
        alias,
        after,
        limit: 25,
        characters: Infinity,
        rows: 40,
      }),
    );
  expect(await search('nobody', 0)).toEqual({ found: [], end: 40 });
  expect(await search('nobody', 40)).toEqual({ found: [], end: 80 });
  expect(await search('nobody', 80)).toEqual({ found: [], end: undefined });
  expect(await search('bob', 0)).toMatchObject({ found: { length: 25 }, end: 25 });
  expect(await search('bob', 80)).toMatchObject({ found: { length: 20 }, end: undefined });
});

test('a replayed event equals the live one, except that counts are omitted and a task is shown as it is now', async () => {
  const fixture = await openFixture();
  const { received, tasks } = await createEvents(fixture);
  const now = new Map(
    await Promise.all(tasks.map(async (task_id) => [task_id, (await fixture.ask(getTask, { task_id })).task] as const)),
  );
  const replayed = await missed(fixture, undefined, 0);
  for (const [index, event] of replayed.entries()) {
    const { inbox_count: before, ...data } = JSON.parse(received[index]?.data ?? '');
    const { inbox_count: count, ...replayed } = JSON.parse(event.data);
    expect(replayed).toEqual(
      event.name === 'task' && now.has(replayed.task_id) ? { type: 'task', ...now.get(replayed.task_id) } : data,
    );
    expect(typeof count).toBe(typeof before);
    expect([event.message_id, event.task_id]).toEqual([received[index]?.message_id, received[index]?.task_id]);
  }
  expect(new Set(replayed.map(({ name }) => name))).toEqual(
    new Set(['session', 'task', 'new_task', 'new_message', 'new_reply', 'broadcast']),
  );
});

test('an event is not replayed after its message was deleted', async () => {
  const fixture = await openFixture();
  await fixture.ask(sendMessage, { alias: 'bob', message: 'gone' });
  await fixture.ask(sendMessage, { alias: 'bob', message: 'kept' });
  await fixture.hub.store.write((tx) => tx.run("DELETE FROM messages WHERE content = 'gone'", [], 'inboxes'));
  expect((await missed(fixture, 'bob', 0)).map(({ data }) => JSON.parse(data).message)).toEqual(['kept']);
});

test('a send writes one row for both events, and neither its message nor its event contains the text', async () => {
  const fixture = await openFixture();
  await send(fixture, { task: 'once only', context: 'this too' });
  const rows = await rowsOf(
    fixture,
    `SELECT (SELECT count(*) FROM task_events) AS moves, (SELECT count(*) FROM events) AS events,
    (SELECT count(*) FROM messages WHERE content IS NULL AND from_session IS NULL AND id IS NULL) AS attempts`,
  );
  expect(rows).toEqual([{ moves: 1, events: 0, attempts: 1 }]);
});

test('the text of a broadcast is stored once, until the last of its messages is deleted', async () => {
  const fixture = await openFixture();
  for (const alias of ['bob', 'carol', 'dora']) await report(fixture, alias);
  await fixture.ask(broadcast, { content: 'all hands', from_session: 'alice' });
  const stored = () =>
    rowsOf(
      fixture,
      'SELECT (SELECT count(*) FROM broadcasts) AS texts, count(content) AS copies, count(*) AS messages FROM messages',
    );
  expect(await stored()).toEqual([{ texts: 1, copies: 0, messages: 3 }]);
  const remove = (alias: string) =>
    fixture.hub.store.write((tx) => tx.run('DELETE FROM messages WHERE alias = ?', [alias], 'inboxes'));
  await remove('bob');
  await remove('carol');
  expect(await fixture.ask(getInbox, { alias: 'dora' })).toMatchObject({
    messages: [{ type: 'broadcast', content: 'all hands' }],
  });
  await remove('dora');
  expect(await stored()).toEqual([{ texts: 0, copies: 0, messages: 0 }]);
});

test('a broadcast without recipients stores nothing', async () => {
  const fixture = await openFixture();
  expect(await fixture.ask(broadcast, { content: 'anybody?' })).toMatchObject({ delivered_count: 0 });
  expect(await rowsOf(fixture, 'SELECT count(*) AS texts FROM broadcasts')).toEqual([{ texts: 0 }]);
});
