// Wrong counters in a database: doctor reports them, a recount corrects them, and until then they block no writes.
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { applyHostile, WRONG_COUNTERS } from '../../scripts/trust/storage/hostile-changes.ts';
import { checkDatabase } from '../../server/cli/doctor/database.ts';
import { ackInbox } from '../../server/operations/agents/ack-inbox.ts';
import { cancelTask } from '../../server/operations/tasks/cancel-task.ts';
import { findWrongCounters, recount } from '../../server/store/counts/counters.ts';
import { SCHEMA_VERSION } from '../../server/store/file/migrations.ts';
import { type Fixture, openFixture, outcomeOf, report, restarted, rowsOf, send } from '../support/fixture.ts';
import { SCHEMA_FIXTURES, unpack } from '../support/store/schema-fixtures.ts';
import { openTestHub, temporaryDirectory } from '../support/test-hub.ts';

async function fixtureWithMail(): Promise<Fixture> {
  const fixture = await openFixture({ max_pending_messages: 5, max_sessions: 5 });
  for (const alias of ['bob', 'eve']) await report(fixture, alias);
  for (const task of ['first', 'second', 'third']) await send(fixture, { alias: 'bob', task });
  await fixture.ask(cancelTask, { task_id: await send(fixture, { alias: 'bob', task: 'cancelled' }) });
  // The integrity check rejects users without a password hash.
  await fixture.hub.store.write((tx) => tx.run('UPDATE users SET password_hash = ?', [`$2b$12$${'x'.repeat(53)}`]));
  return fixture;
}

const NO_PROGRESS = { begin: () => {}, update: () => {}, end: () => {} };

const wrongIn = (fixture: Pick<Fixture, 'hub'>) =>
  fixture.hub.store.read((reader) => findWrongCounters((sql) => reader.all(sql), SCHEMA_VERSION));

test.each(WRONG_COUNTERS)('$name: doctor reports them, and a recount corrects them', async ({ message, ...change }) => {
  const fixture = await fixtureWithMail();
  const before = await wrongIn(fixture);
  await fixture.hub.store.close();
  applyHostile({ message, ...change }, fixture.hub.file);

  const found = await Array.fromAsync(checkDatabase(dirname(fixture.hub.file), NO_PROGRESS));
  expect(found.find(({ check }) => check === 'integrity')).toMatchObject({ level: 'ok' });
  expect(found.find(({ check }) => check === 'counters')).toMatchObject({
    level: 'fail',
    says: expect.stringMatching(message),
    remedy: 'stop the hub and run agenthub doctor --repair',
  });

  const again = await restarted(fixture);
  const wrong = await wrongIn(again);
  expect(wrong, 'a start leaves them as they are').toContainEqual(
    expect.objectContaining({ name: expect.stringMatching(message) }),
  );
  const words = [
    await outcomeOf(send(again, { alias: 'bob', task: 'meanwhile' })),
    await outcomeOf(acknowledgeAll(again)),
    await outcomeOf(cancelAll(again)),
  ];
  expect(words).toEqual([expect.stringMatching(/^(ok|quota_exceeded)$/), 'ok', 'ok']);
  await again.hub.store.write(recount);
  expect([before, again.hub.fatal, await wrongIn(again)]).toEqual([[], [], []]);
  await send(again, { alias: 'bob', task: 'fourth' });
  await report(again, 'new one');
  expect(await wrongIn(again)).toEqual([]);
});

type Use = (fixture: Fixture) => Promise<unknown>;

const acknowledgeAll: Use = async (fixture) => {
  const waiting = await rowsOf(
    fixture,
    'SELECT coalesce(id, task_id) AS id FROM messages LEFT JOIN tasks USING (task_seq)',
  );
  for (const { id } of waiting) await fixture.ask(ackInbox, { alias: 'bob', message_id: String(id) });
};
const cancelAll: Use = async (fixture) => {
  for (const { task_id } of await rowsOf(fixture, 'SELECT task_id FROM tasks WHERE completed_at IS NULL'))
    await fixture.ask(cancelTask, { task_id });
};
const removeSessions: Use = (fixture) => fixture.hub.store.write((tx) => tx.run('DELETE FROM sessions'));

const TOO_LOW: readonly [counter: string, sql: string, use: Use, left: string][] = [
  [
    'inboxes.pending',
    'UPDATE inboxes SET pending = 1',
    acknowledgeAll,
    'SELECT 1 FROM messages WHERE acked_at IS NULL',
  ],
  [
    'task_counts.tasks',
    'UPDATE task_counts SET tasks = 0',
    cancelAll,
    "SELECT 1 FROM tasks WHERE status <> 'cancelled'",
  ],
  ['session_counts.sessions', 'UPDATE session_counts SET sessions = 1', removeSessions, 'SELECT 1 FROM sessions'],
];

test.each(TOO_LOW)('%s that is too low blocks no write, and is logged once', async (counter, sql, use, left) => {
  const fixture = await fixtureWithMail();
  await fixture.hub.store.write((tx) => tx.run(sql));
  const warnings: object[] = [];
  fixture.hub.log.warn = (fields, message) => void warnings.push({ ...fields, message });
  const again = await restarted(fixture);

  await use(again);
  expect(await rowsOf(again, left)).toEqual([]);
  expect(again.hub.fatal).toEqual([]);
  for (const alias of ['eve', 'bob']) {
    again.hub.clock.advance(1_000); // it checks once a second
    await report(again, alias);
  }
  expect(warnings).toEqual([
    {
      counter,
      owner: expect.stringContaining(fixture.caller.network_id),
      message: expect.stringContaining('stop the hub and run agenthub doctor --repair'),
    },
  ]);
  await again.hub.store.write(recount);
  expect(await wrongIn(again)).toEqual([]);
});

test.each(SCHEMA_FIXTURES)(
  'doctor checks the counters of schema $schema, and an upgrade recounts them',
  async ({ schema, ...fixture }) => {
    const data = join(temporaryDirectory(), 'data');
    mkdirSync(data, { mode: 0o700 });
    const file = join(data, 'agenthub.db');
    unpack({ schema, ...fixture }, file);
    const counters = async () =>
      (await Array.fromAsync(checkDatabase(data, NO_PROGRESS))).find(({ check }) => check === 'counters');
    expect(await counters()).toMatchObject({ level: 'ok' });
    const database = new DatabaseSync(file);
    database.exec('UPDATE inboxes SET pending = pending + 1');
    database.close();
    expect(await counters()).toMatchObject({
      level: 'fail',
      says: expect.stringMatching(/^inboxes\.pending of \S+ \S+ is \d+, not \d+/),
      remedy:
        schema < SCHEMA_VERSION
          ? 'start the hub: the upgrade recounts them'
          : 'stop the hub and run agenthub doctor --repair',
    });
    if (schema < SCHEMA_VERSION) expect(await wrongIn({ hub: await openTestHub({}, undefined, file) })).toEqual([]);
  },
);
