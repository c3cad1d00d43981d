// What a read sees: one snapshot of committed data, with a timestamp that never decreases.
import { expect, test } from 'vitest';
import { NOON } from '../../support/manual-clock.ts';
import { NOTE, note, notes, openTestDatabase } from '../../support/store/test-database.ts';

const COUNT = 'SELECT count(*) AS count FROM audit_log';

test('a read never sees uncommitted rows', async () => {
  const database = await openTestDatabase();
  const seen: string[][] = [];
  await database.write(async (tx) => {
    await tx.run(NOTE, ['first', tx.now]);
    seen.push(await notes(database)); // allowed only in this test, to read from outside
    await tx.run(NOTE, ['second', tx.now]);
    seen.push(await notes(database));
  });
  seen.push(await notes(database));
  expect(seen).toEqual([[], [], ['first', 'second']]);
});

test('a read never sees rows of a write that was rolled back', async () => {
  const database = await openTestDatabase();
  const failing = database.write(async (tx) => {
    await tx.run(NOTE, ['never', tx.now]);
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await notes(database)).toEqual([]);
});

test('a read sees one snapshot, whatever is committed meanwhile', async () => {
  const database = await openTestDatabase();
  await note(database, 'before');
  const seen = await database.read(async (reader) => {
    const first = await reader.first<{ count: number }>(COUNT);
    await note(database, 'meanwhile');
    return [first?.count, (await reader.first<{ count: number }>(COUNT))?.count];
  });
  expect(seen).toEqual([1, 1]);
  expect(await notes(database)).toEqual(['before', 'meanwhile']);
});

test('a read that begins after a write has returned sees it', async () => {
  const database = await openTestDatabase();
  for (let index = 1; index <= 50; index++) {
    await note(database, `note ${index}`);
    expect(await notes(database)).toHaveLength(index);
  }
});

test('a read that throws fails alone, and later reads work', async () => {
  const database = await openTestDatabase();
  await note(database, 'stored');
  const reads = [
    database.read((reader) => reader.first('SELECT nothing FROM nowhere')),
    database.read((reader) => reader.first<{ count: number }>(COUNT)),
  ];
  const [broken, whole] = await Promise.allSettled(reads);
  expect(broken?.status).toBe('rejected');
  expect(whole).toMatchObject({ value: { count: 1 } });
  expect(await notes(database)).toEqual(['stored']);
  expect(database.fatal).toEqual([]);
});

test('a read whose caller leaves before it begins does not run, and a write does', async () => {
  const database = await openTestDatabase();
  const scope = { tenant: 'a', networks: [], recipient: { hasLeft: () => true } };
  let hasRun = false;
  const read = database.read(async () => void (hasRun = true), scope);
  await expect(read).rejects.toMatchObject({ code: 'client_left' });
  expect(hasRun).toBe(false);
  await database.write((tx) => tx.run(NOTE, ['written', tx.now]), scope);
  expect(await notes(database)).toEqual(['written']);
});

test('a read whose result has no room waits until it has, while others run', async () => {
  const database = await openTestDatabase();
  const free = Promise.withResolvers<void>();
  let room: Promise<void> | undefined = free.promise;
  const order: string[] = [];
  const recipient = { hasLeft: () => false, room: () => room };
  const delayed = database.read(async () => void order.push('delayed'), { tenant: 'a', networks: [], recipient });
  await database.read(async () => void order.push('other'), { tenant: 'b', networks: [] });
  expect(order).toEqual(['other']);
  room = undefined;
  free.resolve();
  await delayed;
  expect(order).toEqual(['other', 'delayed']);
});

test.each([
  { milliseconds: 0, expected: ['first', 'second', 'next turn'] },
  { milliseconds: 100, expected: ['first', 'next turn', 'second'] },
])(
  'the $milliseconds ms in which a caller builds its response count toward the time of the group',
  async ({ milliseconds, expected }) => {
    let now = 0;
    const database = await openTestDatabase(undefined, undefined, () => now);
    const order: string[] = [];
    const first = database
      .read(async () => {})
      .then(async () => {
        for (let step = 0; step < 20; step++) await undefined; // as deep as an operation in its middleware
        now += milliseconds;
        order.push('first');
        setImmediate(() => order.push('next turn'));
      });
    const second = database.read(async () => {}).then(() => order.push('second'));
    await Promise.all([first, second]);
    await expect.poll(() => order).toEqual(expected);
  },
);

test('a read cannot write', async () => {
  const database = await openTestDatabase();
  const written = database.read((reader) =>
    reader.all("INSERT INTO audit_log (actor, action, target_type, created_at) VALUES ('a', 'b', 'c', 1)"),
  );
  await expect(written).rejects.toThrow();
  expect(await notes(database)).toEqual([]);
});

test('the timestamp of a transaction does not change while it runs', async () => {
  const database = await openTestDatabase();
  const moments = await database.write(async (tx) => {
    const first = tx.now;
    database.clock.advance(5_000);
    await tx.run(NOTE, ['later', tx.now]);
    return [first, tx.now];
  });
  expect(moments).toEqual([NOON, NOON]);
  expect(await database.write(async (tx) => tx.now)).toBe(NOON + 5_000);
});

test('timestamps neither decrease nor stop when the clock is set back, for reads and writes alike', async () => {
  const database = await openTestDatabase();
  const write = () => database.write(async (tx) => tx.now);
  const read = () => database.read(async (reader) => reader.now);
  database.clock.advance(60_000);
  expect(await write()).toBe(NOON + 60_000);
  database.clock.set(NOON - 3_600_000);
  expect(await write()).toBe(NOON + 60_000);
  expect(await read()).toBe(NOON + 60_000);
  database.clock.advance(1_000);
  expect(await read()).toBe(NOON + 60_990);
});
