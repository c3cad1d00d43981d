// Network numbers: an id maps to its own network or to none, whatever is created, removed or rolled back.
import { expect, test } from 'vitest';
import { findRemoved, markRemoved, removeRows } from '../../server/store/bulk/network-removal.ts';
import type { Transaction } from '../../server/store/engine/transaction.ts';
import * as events from '../../server/store/events.ts';
import * as inboxes from '../../server/store/inboxes.ts';
import { listMissed } from '../../server/store/lists/replay.ts';
import * as messages from '../../server/store/messages.ts';
import * as networks from '../../server/store/networks.ts';
import * as sessions from '../../server/store/sessions.ts';
import * as tasks from '../../server/store/tasks.ts';
import { openTestDatabase, type TestDatabase } from '../support/store/test-database.ts';

const found = (tx: Transaction, network_id: string): Promise<void> =>
  networks.insert(tx, {
    network_id,
    network_name: network_id,
    owner_id: 'usr_1',
    max_members: 50,
    description: '',
    trial_ends_at: null,
  });

const publish = (tx: Transaction, network_id: string, content: string): void =>
  tx.publish({ network_id, alias: 'bob', data: { type: 'broadcast', content, from: 'ann', message_id: content } });

const post = (tx: Transaction, network_id: string, id: string) =>
  messages.insert(tx, { id, network_id, alias: 'bob', type: 'message', content: id, from_session: 'ann' });

async function removeAll(database: TestDatabase): Promise<void> {
  const seq = await database.read(findRemoved);
  while (seq !== undefined && (await database.write((tx) => removeRows(tx, seq, 9))));
}

const numbers = (database: TestDatabase, ...ids: string[]) =>
  database.read(async (reader) => ids.map((id) => reader.networkSeq(id)));

test('an unknown id is found once its network is created, also by readers that asked before', async () => {
  const database = await openTestDatabase();
  expect(await numbers(database, 'net_1', 'net_2')).toEqual([1, null]);
  const seen = await database.write(async (tx) => {
    const before = tx.networkSeq('net_2');
    await found(tx, 'net_2');
    return [before, tx.networkSeq('net_2')];
  });
  expect(seen).toEqual([null, 2]);
  expect(await numbers(database, 'net_1', 'net_2')).toEqual([1, 2]);
});

test('the number of a rolled-back network is reused, and its id maps to nothing', async () => {
  const database = await openTestDatabase();
  const seen: (number | null)[][] = [];
  const creating = (id: string, fails: boolean) =>
    database.write(async (tx) => {
      await found(tx, id);
      seen.push([tx.networkSeq('net_never'), tx.networkSeq('net_2')]);
      await post(tx, id, `to ${id}`);
      publish(tx, id, `of ${id}`);
      if (fails) throw new Error('no');
    });
  const looking = () =>
    database.write(async (tx) => {
      seen.push([tx.networkSeq('net_never'), tx.networkSeq('net_2')]);
      return [await inboxes.countPending(tx, 'net_never', 'bob'), await inboxes.countPending(tx, 'net_2', 'bob')];
    });
  const [, , looked] = await Promise.allSettled([creating('net_never', true), creating('net_2', false), looking()]);
  // Both run again, each alone. The first time they were rolled back together.
  expect(seen).toEqual([
    [2, null],
    [2, null],
    [null, 2],
    [null, 2],
  ]);
  expect(looked).toMatchObject({ value: [0, 1] });
  expect(await numbers(database, 'net_never', 'net_2')).toEqual([null, 2]);
  expect(database.published.flat().map(({ network_id }) => network_id)).toEqual(['net_2']);
});

test('a removed network leaves no event behind, whatever was published in the same commit', async () => {
  const database = await openTestDatabase();
  await database.write(async (tx) => {
    await found(tx, 'net_2');
    publish(tx, 'net_2', 'before');
  });
  await Promise.all([
    database.write(async (tx) => {
      await post(tx, 'net_2', 'msg_2'); // the commit knows its number from here on
      publish(tx, 'net_2', 'just before');
    }),
    database.write((tx) => markRemoved(tx, 'net_2')),
    database.write(async (tx) => publish(tx, 'net_2', 'just after')),
    database.write(async (tx) => publish(tx, 'net_1', 'elsewhere')),
  ]);
  await database.write(async (tx) => publish(tx, 'net_2', 'long after'));
  await removeAll(database);
  await database.write(async (tx) => publish(tx, 'net_2', 'after its last row'));
  expect(await database.read((reader) => reader.all('SELECT network_seq FROM events'))).toEqual([{ network_seq: 1 }]);
  expect(database.published.flat().map(({ data }) => JSON.parse(data).content)).toEqual(['before', 'elsewhere']);
  expect(database.fatal).toEqual([]);
});

test('a network created after a removal has another number and none of its data', async () => {
  const database = await openTestDatabase();
  await database.write(async (tx) => {
    await found(tx, 'net_2');
    await post(tx, 'net_2', 'msg_1');
  });
  expect(await numbers(database, 'net_2')).toEqual([2]);
  await database.write((tx) => markRemoved(tx, 'net_2'));
  await removeAll(database);
  await database.write((tx) => found(tx, 'net_3'));
  expect(await numbers(database, 'net_3')).toEqual([3]);
  // A cached number of the removed network maps to no row.
  expect(
    await database.read(async (reader) => [
      await inboxes.countPending(reader, 'net_2', 'bob'),
      await messages.findById(reader, 'net_2', 'msg_1'),
    ]),
  ).toEqual([0, undefined]);
});

test('an unknown id finds nothing and stores nothing', async () => {
  const database = await openTestDatabase();
  await database.write(async (tx) => {
    await post(tx, 'net_1', 'msg_1');
    publish(tx, 'net_1', 'told');
  });
  const looked = await database.read(async (reader) => ({
    message: await messages.findById(reader, 'net_none', 'msg_1'),
    pending: await messages.listPending(reader, 'net_none', 'bob', 9),
    messages: await messages.listSlice(reader, {}, { networks: ['net_none'], limit: 9, rows: 9 }),
    tasks: await tasks.listSlice(reader, {}, { networks: ['net_none'], limit: 9, rows: 9 }),
    events: await listMissed(reader, {
      networks: ['net_none'],
      alias: undefined,
      after: 0,
      limit: 9,
      characters: 9,
      rows: 9,
    }),
    sessions: await sessions.count(reader, 'net_none'),
  }));
  expect(looked).toEqual({
    message: undefined,
    pending: [],
    messages: { found: [], end: undefined },
    tasks: { found: [], end: undefined },
    events: { found: [], end: undefined },
    sessions: 0,
  });
  await expect(database.write((tx) => post(tx, 'net_none', 'msg_2'))).rejects.toMatchObject({
    code: expect.stringContaining('SQLITE_CONSTRAINT'),
  });
  const { latest } = await database.read(events.position);
  expect(latest).toBe(1);
});
