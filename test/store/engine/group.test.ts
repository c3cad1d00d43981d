// Writes share commits but remain isolated: each fails independently, and none returns or is published before the
// commit.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { NewEvent } from '../../../server/domain/events.ts';
import { openBroker } from '../../../server/events/broker.ts';
import { readElsewhere } from '../../support/process/other-process.ts';
import { NOTE, note, notes, openTestDatabase, type TestDatabase } from '../../support/store/test-database.ts';

const event = (content: string): NewEvent => ({
  network_id: 'net_1',
  alias: 'bob',
  data: { type: 'broadcast', content, from: 'alice', message_id: content },
});

test('a write that throws rolls back alone, with its events and effects', async () => {
  const database = await openTestDatabase();
  const effects: string[] = [];
  const writes = ['first', 'broken', 'last'].map((name) =>
    database.write(async (tx) => {
      await tx.run(NOTE, [name, tx.now]);
      tx.publish(event(name));
      tx.afterCommit(() => effects.push(name));
      if (name === 'broken') throw new Error('no');
      return name;
    }),
  );
  expect(await Promise.allSettled(writes)).toEqual([
    { status: 'fulfilled', value: 'first' },
    { status: 'rejected', reason: new Error('no') },
    { status: 'fulfilled', value: 'last' },
  ]);
  expect(database.published).toHaveLength(1); // all three shared one commit
  expect(database.published[0]?.map(({ seq, data }) => [seq, JSON.parse(data).content])).toEqual([
    [1, 'first'],
    [2, 'last'],
  ]);
  expect(effects).toEqual(['first', 'last']);
  expect(await notes(database)).toEqual(['first', 'last']);
  expect(database.fatal).toEqual([]);
});

test('long texts that wait together are stored in several commits', async () => {
  const database = await openTestDatabase();
  const commitsOf = async (texts: readonly string[]): Promise<number> => {
    const before = database.published.length;
    await Promise.all(texts.map((text) => note(database, text)));
    return database.published.length - before;
  };
  expect(await commitsOf(Array.from({ length: 10 }, () => 'short'))).toBe(1);
  expect(await commitsOf(Array.from({ length: 10 }, () => 'long '.repeat(60_000)))).toBe(5);
  expect(await notes(database)).toHaveLength(20);
});

test('memory changes of a write are undone as often as it is rolled back, and applied once', async () => {
  const database = await openTestDatabase();
  const memory: string[] = [];
  const remembering = (name: string, fails: boolean) =>
    database.write(async (tx) => {
      memory.push(`${name} done`);
      tx.onRollback(() => memory.push(`${name} undone`));
      await tx.run(NOTE, [name, tx.now]);
      if (fails) throw new Error('no');
    });
  await Promise.allSettled([remembering('first', false), remembering('broken', true), remembering('last', false)]);
  expect(memory).toEqual([
    'first done',
    'broken done',
    'broken undone',
    'first undone', // together
    'first done',
    'broken done',
    'broken undone',
    'last done', // each alone
  ]);
  expect(await notes(database)).toEqual(['first', 'last']);
});

test('a failure before the writes of a group is reported and rolled back, and no write waits for it', async () => {
  const memory: string[] = [];
  const database = await openTestDatabase(undefined, async (tx) => {
    memory.push('done');
    tx.onRollback(() => memory.push('undone'));
    await tx.run(NOTE, ['half of it', tx.now]);
    tx.publish(event('never published'));
    throw new Error('an error of ours');
  });
  await note(database, 'first');
  expect(await notes(database)).toEqual(['first']);
  expect(memory).toEqual(['done', 'undone']);
  expect(database.published).toEqual([[]]);
  expect([database.errors, database.fatal]).toEqual([[new Error('an error of ours')], []]);
});

test('a write that fails before its first change does not affect the others', async () => {
  const database = await openTestDatabase();
  let runs = 0;
  const counted = (fails: boolean) =>
    database.write(async (tx) => {
      runs++;
      if (fails) throw new Error('no');
      await tx.run(NOTE, ['stored', tx.now]);
    });
  await Promise.allSettled([counted(false), counted(true), counted(false)]);
  expect(runs).toBe(3);
  expect(await notes(database)).toEqual(['stored', 'stored']);
});

test('a statement that the database rejects fails only its own write, even halfway through', async () => {
  const database = await openTestDatabase();
  const half = database.write(async (tx) => {
    await tx.run(NOTE, ['half', tx.now]);
    await tx.run("INSERT INTO hub (only_row, epoch) VALUES (2, 'second')");
  });
  const whole = note(database, 'whole');
  await expect(half).rejects.toMatchObject({ code: expect.stringContaining('SQLITE_CONSTRAINT') });
  await whole;
  expect(await notes(database)).toEqual(['whole']);
});

test('a write sees the rows of earlier writes in the same commit, and none of failed ones', async () => {
  const database = await openTestDatabase();
  const failing = database.write(async (tx) => {
    await tx.run(NOTE, ['failed', tx.now]);
    throw new Error('no');
  });
  const stored = note(database, 'stored');
  const seen = database.write((tx) => tx.all<{ action: string }>('SELECT action FROM audit_log'));
  await expect(failing).rejects.toThrow('no');
  await stored;
  expect((await seen).map(({ action }) => action)).toEqual(['stored']);
});

test('at publication, another process can read the rows and their events', async () => {
  const seen: unknown[] = [];
  const database: TestDatabase = await openTestDatabase(() => {
    seen.push(
      readElsewhere(database.file, 'SELECT a.action, e.seq FROM audit_log a JOIN events e ON e.name = a.action'),
    );
  });
  await database.write(async (tx) => {
    await tx.run(NOTE, ['broadcast', tx.now]);
    tx.publish(event('hello'));
  });
  expect(seen).toEqual([[{ action: 'broadcast', seq: 1 }]]);
});

test('when an effect runs or a write resolves, another process can read its rows', async () => {
  const database = await openTestDatabase();
  const seen: Record<string, unknown>[][] = [];
  const look = (): void => void seen.push(readElsewhere(database.file, 'SELECT action FROM audit_log'));
  await database
    .write(async (tx) => {
      await tx.run(NOTE, ['stored', tx.now]);
      tx.afterCommit(look);
    })
    .then(look);
  expect(seen).toEqual([[{ action: 'stored' }], [{ action: 'stored' }]]);
});

test('before the commit, another process reads nothing, which proves that the checks above can fail', async () => {
  const database = await openTestDatabase();
  let seen: unknown;
  await database.write(async (tx) => {
    await tx.run(NOTE, ['early', tx.now]);
    seen = readElsewhere(database.file, 'SELECT action FROM audit_log');
  });
  expect(seen).toEqual([]);
});

test('256 concurrent writes are one commit, and 1,000 are four', async () => {
  const database = await openTestDatabase();
  await Promise.all(Array.from({ length: 256 }, (_, index) => note(database, `first ${index}`)));
  expect(commitsIn(database)).toBe(1);
  await Promise.all(Array.from({ length: 1_000 }, (_, index) => note(database, `then ${index}`)));
  expect(commitsIn(database)).toBe(5);
  expect(await notes(database)).toHaveLength(1_256);
});

test('sequential writes make one commit each, which proves that the count above can fail', async () => {
  const database = await openTestDatabase();
  for (let index = 0; index < 5; index++) await note(database, `note ${index}`);
  expect(commitsIn(database)).toBe(5);
});

test('events are numbered in the order of the writes, without gaps', async () => {
  const database = await openTestDatabase();
  const names = Array.from({ length: 600 }, (_, index) => `event ${index}`);
  await Promise.all(names.map((name) => database.write(async (tx) => tx.publish(event(name)))));
  const published = database.published.flat();
  expect(published.map(({ seq }) => seq)).toEqual(names.map((_, index) => index + 1));
  expect(published.map(({ data }) => JSON.parse(data).content)).toEqual(names);
  const stored = await database.read((reader) =>
    reader.all<{ seq: number; data: string }>('SELECT seq, data FROM events ORDER BY seq'),
  );
  expect(stored.map(({ seq, data }) => [seq, data])).toEqual(published.map(({ seq, data }) => [seq, data]));
});

test('a failure after the commit is isolated: the writes succeed, and no database error is reported', async () => {
  const database = await openTestDatabase(() => {
    throw new Error('a listener');
  });
  const effects: string[] = [];
  const writes = ['first', 'second'].map((name) =>
    database.write(async (tx) => {
      await tx.run(NOTE, [name, tx.now]);
      tx.publish(event(name));
      tx.afterCommit(() => {
        throw new Error(`an effect of ${name}`);
      });
      tx.afterCommit(() => effects.push(name));
      return name;
    }),
  );
  expect(await Promise.all(writes)).toEqual(['first', 'second']);
  expect(await notes(database)).toEqual(['first', 'second']);
  expect(effects).toEqual(['first', 'second']);
  expect(database.errors.map(String)).toEqual([
    'Error: a listener',
    'Error: an effect of first',
    'Error: an effect of second',
  ]);
  expect(database.fatal).toEqual([]);
});

test('a failing listener does not affect the others', () => {
  const errors: unknown[] = [];
  const received: number[] = [];
  const broker = openBroker((error) => errors.push(error));
  broker.subscribe({ networks: ['net_1'] }, () => {
    throw new Error('listener failed');
  });
  broker.subscribe({ networks: ['net_1'] }, ({ seq }) => received.push(seq));
  broker.publish(
    [1, 2].map((seq) => ({ seq, network_id: 'net_1', alias: null, name: 'task', data: '{}', created_at: 0 })),
  );
  expect({ received: received, errors: errors.map(String) }).toEqual({
    received: [1, 2],
    errors: ['Error: listener failed', 'Error: listener failed'],
  });
});

const WAL_HEADER = 32;
const FRAME_HEADER = 24;

/** Counts the commits in the write-ahead log. The header of a frame marks the end of a transaction. */
function commitsIn({ file }: TestDatabase): number {
  const log = readFileSync(`${file}-wal`); // no process locks this file, so reading it releases no lock
  const frame = FRAME_HEADER + log.readUInt32BE(8);
  let commits = 0;
  for (let at = WAL_HEADER; at + frame <= log.length; at += frame) {
    const isOfThisLog = log.readUInt32BE(at + 8) === log.readUInt32BE(16);
    if (isOfThisLog && log.readUInt32BE(at + 4) > 0) commits++;
  }
  return commits;
}

test('a group that has used its time leaves the rest to the next, in order', async () => {
  const database = await openTestDatabase(undefined, undefined, () => performance.now());
  const slow = (name: string) =>
    database.write(async (tx) => {
      const end = performance.now() + 25; // more than the time of a group
      while (performance.now() < end);
      await tx.run(NOTE, [name, tx.now]);
      tx.publish(event(name));
      if (name === 'broken') throw new Error('no');
    });
  const written = await Promise.allSettled(['first', 'broken', 'second', 'third'].map(slow));
  expect(written.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  expect(
    database.published
      .map((events) => events.map(({ data }) => JSON.parse(data).content))
      .filter((group) => group.length > 0),
  ).toEqual([['first'], ['second'], ['third']]);
});
