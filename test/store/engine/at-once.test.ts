// Sends of one group run at once on PostgreSQL, and the same statements of all run as one. They behave as if in turn.
import { describe, expect, onTestFinished, test } from 'vitest';
import { DUPLICATE_SENDS } from '../../../server/domain/limits.ts';
import type { Settings } from '../../../server/domain/settings.ts';
import { sendMessage } from '../../../server/operations/messages/send-message.ts';
import { perform } from '../../../server/operations/operation.ts';
import { sendTask } from '../../../server/operations/tasks/send-task.ts';
import { connectionTo } from '../../../server/store/engine/postgres/connection/connection.ts';
import { serversAt } from '../../../server/store/engine/postgres/connection/servers.ts';
import type { Statements } from '../../../server/store/engine/postgres/connection/statements.ts';
import { mergedOn } from '../../../server/store/engine/postgres/merged.ts';
import { type Fixture, outcomeOf, rowsOf } from '../../support/fixture.ts';
import { createEmptyPostgres, createPostgres, SERVER } from '../../support/store/postgres.ts';
import { foundNetwork, openHubOn } from '../../support/test-hub.ts';

async function open(settings: Partial<Settings> = {}): Promise<Fixture> {
  const hub = await openHubOn(await createPostgres(), settings);
  const caller = await foundNetwork(hub);
  return { hub, caller, ask: (operation, input) => perform(operation, hub, caller, input) };
}

const SENDS = Array.from({ length: 60 }, (_, n) => n);
const ALIASES = 7;
const aliasOf = (n: number): string => `agent-${n % ALIASES}`;

/** Texts with every character that an array of PostgreSQL must quote. */
const inputOf = (n: number) => ({
  alias: aliasOf(n),
  from_session: 'alice',
  ...(n % 3 === 0 ? { message: `it's {"${n}"}, \\ NULL` } : { task: `task\\${n}`, ...(n % 2 === 0 && HIGH) }),
});
/** What a send of another kind leaves out. */
const ABSENT = { message: undefined, context: undefined, priority: undefined };
const HIGH = { context: '{a,"b"}', priority: 'high' };

async function outcomes(calls: readonly Promise<unknown>[]): Promise<Record<string, number>> {
  const codes = await Promise.all(calls.map(outcomeOf));
  return Object.fromEntries([...Map.groupBy(codes, (code) => code)].map(([code, all]) => [code, all.length]));
}

const tasksOf = (fixture: Fixture) => rowsOf(fixture, 'SELECT to_name, content FROM tasks ORDER BY task_seq');
const pendingOf = async (fixture: Fixture) =>
  Object.fromEntries(
    (await rowsOf(fixture, 'SELECT alias, pending FROM inboxes ORDER BY alias')).map(({ alias, pending }) => [
      alias,
      Number(pending),
    ]),
  );

describe.skipIf(SERVER === undefined)('sends at once', () => {
  test('store what each sent, in order in each inbox, and count it', async () => {
    const fixture = await open();
    const sent = await Promise.all(
      SENDS.map((n) => fixture.ask<{ message_id: string }>(n % 3 === 0 ? sendMessage : sendTask, inputOf(n))),
    );
    const stored = await rowsOf(
      fixture,
      `SELECT m.alias, coalesce(m.id, t.task_id) AS id, coalesce(m.content, t.content) AS content, t.context, m.priority
       FROM messages m LEFT JOIN tasks t ON t.task_seq = m.task_seq ORDER BY m.message_seq`,
    );
    const expected = SENDS.map((n) => {
      const { alias, message, task, context = null, priority = 'normal' } = { task: '', ...ABSENT, ...inputOf(n) };
      return { alias, id: sent[n]?.message_id, content: message ?? task, context, priority };
    });
    for (let n = 0; n < ALIASES; n += 1) {
      const of = (all: readonly { alias?: unknown }[]) => all.filter(({ alias }) => alias === aliasOf(n));
      expect(of(stored)).toEqual(of(expected));
    }
    const sizes = SENDS.slice(0, ALIASES).map((n) => [aliasOf(n), SENDS.filter((m) => m % ALIASES === n).length]);
    expect(await pendingOf(fixture)).toEqual(Object.fromEntries(sizes));
  });

  test('fill an inbox exactly, while those to others go on', async () => {
    const fixture = await open({ max_pending_messages: 5 });
    const toOne = SENDS.map((n) => fixture.ask(sendTask, { alias: 'full', task: `t ${n}`, from_session: `a-${n}` }));
    const toOthers = SENDS.map((n) => fixture.ask(sendTask, { alias: `b-${n}`, task: 't', from_session: 'alice' }));
    expect(await outcomes(toOne)).toEqual({ ok: 5, quota_exceeded: 55 });
    expect(await outcomes(toOthers)).toEqual({ ok: 60 });
    expect(await pendingOf(fixture)).toMatchObject({ full: 5, 'b-59': 1 });
  });

  test('send once what has one key, and stop a loop', async () => {
    const fixture = await open();
    const keyed = { alias: 'bob', task: 'build', from_session: 'alice', idempotency_key: 'k' };
    const same = { alias: 'carol', task: 'again', from_session: 'alice' };
    const [once, loop] = [SENDS.map(() => fixture.ask(sendTask, keyed)), SENDS.map(() => fixture.ask(sendTask, same))];
    expect(new Set((await Promise.all(once)).map(({ task_id }) => task_id)).size).toBe(1);
    const passed = DUPLICATE_SENDS - 1;
    expect(await outcomes(loop)).toEqual({ ok: passed, duplicate_send: SENDS.length - passed });
    expect(await pendingOf(fixture)).toEqual({ bob: 1, carol: passed });
  });

  test('that cannot be stored fail alone, and the others count once', async () => {
    const fixture = await open();
    const text = (n: number) => (n % 10 === 3 ? `t\0${n}` : `t ${n}`);
    const calls = SENDS.map((n) => fixture.ask(sendTask, { alias: aliasOf(n), task: text(n), from_session: 'alice' }));
    expect(await outcomes(calls)).toEqual({ ok: 54, invalid_request: 6 });
    expect(await tasksOf(fixture)).toHaveLength(54);
    expect(Object.values<number>(await pendingOf(fixture)).reduce((sum, each) => sum + each)).toBe(54);
  });

  test('are repeated one by one if one of them fails after it has written', async () => {
    const fixture = await open();
    const { network_id } = fixture.caller;
    const scope = { tenant: network_id, networks: [network_id] };
    const broken = fixture.hub.store.write(
      async (tx) => {
        await tx.run('UPDATE networks SET network_name = ? WHERE network_id = ?', ['broken', network_id]);
        await tx.first('SELECT nothing');
      },
      { ...scope, concerns: ['nothing'] },
    );
    const sends = SENDS.map((n) => fixture.ask(sendTask, { alias: aliasOf(n), task: `t ${n}`, from_session: 'alice' }));
    await expect(broken).rejects.toThrow('nothing');
    expect(await outcomes(sends)).toEqual({ ok: 60 });
    expect(await rowsOf(fixture, 'SELECT network_name FROM networks')).not.toContainEqual({ network_name: 'broken' });
    expect((await tasksOf(fixture)).map(({ content }) => content)).toEqual(SENDS.map((n) => `t ${n}`));
  });
});

describe.skipIf(SERVER === undefined)('statements that are issued at once', () => {
  const numbered = 'INSERT INTO tasks (name, size) VALUES (?, ?)';
  const upsert = 'INSERT INTO sizes (name, size) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET size = excluded.size';

  async function opened() {
    const connection = connectionTo(serversAt(await createEmptyPostgres()));
    onTestFinished(connection.close);
    const statements = await connection.statements();
    await statements.exec(`CREATE TABLE tasks (task_seq bigint GENERATED ALWAYS AS IDENTITY, name text, size integer);
      CREATE TABLE sizes (name text PRIMARY KEY, size bigint)`);
    let issued = 0;
    const counted = <Call extends (...args: never[]) => unknown>(call: Call) =>
      ((...args) => {
        issued += 1;
        return call(...args);
      }) as Call;
    const on: Statements = {
      ...statements,
      all: counted(statements.all),
      first: counted(statements.first),
      run: counted(statements.run),
      insert: counted(statements.insert),
    };
    return { statements, merged: mergedOn(on), issued: () => issued };
  }

  test.each([
    ['texts and numbers', (n: number) => [`n ${n}`, n], 1],
    ['nothing in one column', (n: number) => [`n ${n}`, null], 1],
    ['nothing in some', (n: number) => [n % 2 === 0 ? null : `n ${n}`, n % 3 === 0 ? null : n], 1],
    ['nothing at all', () => [null, null], SENDS.length],
  ] as const)('insert as one, in order: %s', async (_, rowOf, count) => {
    const { statements, merged, issued } = await opened();
    const rows = SENDS.map(rowOf);
    const taken = await Promise.all(rows.map((row) => merged.insert(numbered, row)));
    expect(taken).toEqual(SENDS.map((n) => [n + 1]));
    expect(issued()).toBe(count);
    const stored = await statements.all<{ name: string; size: number }>('SELECT * FROM tasks ORDER BY task_seq', []);
    expect(stored.map(({ name, size }) => [name, size])).toEqual(rows);
  });

  test('find as one what each asks for, or nothing', async () => {
    const { merged, issued } = await opened();
    await Promise.all(SENDS.map((n) => merged.run(upsert, [`n ${n}`, n])));
    await Promise.all(SENDS.slice(0, 2).map((n) => merged.run(upsert, [`n ${n}`, n + 100])));
    const find = 'SELECT size, ?2 AS asked FROM sizes WHERE name = ?1 AND size >= 0';
    const found = await Promise.all(SENDS.map((n) => merged.first(find, [n % 2 === 0 ? `n ${n}` : 'none', n])));
    expect(found).toEqual(SENDS.map((n) => (n % 2 === 0 ? { size: n < 2 ? n + 100 : n, asked: n } : undefined)));
    expect(issued()).toBe(3);
  });

  test('run one by one if they cannot be merged', async () => {
    const { merged, issued } = await opened();
    await Promise.all(SENDS.map((n) => merged.run(upsert, [`n ${n}`, n])));
    const limited = await Promise.all(
      [1, 2].map((n) => merged.first('SELECT count(*) AS n FROM (SELECT 1 FROM sizes LIMIT ?) s', [n])),
    );
    expect(limited).toEqual([{ n: 1 }, { n: 2 }]);
    const mixed = await Promise.all([1, 'x'].map((value) => merged.first('SELECT ?::text AS value', [value])));
    expect(mixed).toEqual([{ value: '1' }, { value: 'x' }]);
    expect(await Promise.all([1, 2].map((n) => merged.run('UPDATE sizes SET size = ? WHERE size < 2', [n])))).toEqual([
      { changes: 2 },
      { changes: 2 },
    ]);
    expect(issued()).toBe(7);
  });

  test('fail together', async () => {
    const { merged } = await opened();
    const strict = 'INSERT INTO sizes (name, size) VALUES (?, ?)';
    const all = await Promise.allSettled([1, 1, 2].map((n) => merged.run(strict, [`n ${n}`, n])));
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });
});
