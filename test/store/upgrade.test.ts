// Databases of every schema there ever was are brought to the newest: all of them, whenever the program is killed at it, and
// never without a copy from before.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import Driver from 'libsql';
import { describe, expect, test } from 'vitest';
import { openDatabase } from '../../server/store/database.ts';
import * as events from '../../server/store/events.ts';
import { migrate } from '../../server/store/migrate.ts';
import { assertOurs } from '../../server/store/ours.ts';
import { listMissed } from '../../server/store/replay.ts';
import { SCHEMA_VERSION } from '../../server/store/schema.ts';
import { assertSound } from '../../server/store/soundness.ts';
import * as tasks from '../../server/store/tasks.ts';
import { readElsewhere } from '../support/other-process.ts';
import { SCHEMA_FIXTURES, unpack, type SchemaFixture } from '../support/schema-fixtures.ts';
import { temporaryDirectory } from '../support/test-hub.ts';

const OLD = SCHEMA_FIXTURES.filter(({ schema }) => schema < SCHEMA_VERSION);

test('there is a database of every schema; npm run schema-fixture makes that of the newest', () => {
  expect(SCHEMA_FIXTURES.map(({ schema }) => schema)).toEqual(Array.from({ length: SCHEMA_VERSION }, (_, index) => index + 1));
});

const fail = (error: unknown): never => { throw error; };

function unpacked(fixture: SchemaFixture): string {
  const file = join(temporaryDirectory(), 'agenthub.db');
  unpack(fixture, file);
  return file;
}

/** Rows of each table that the fixture knows. */
function rowsIn(file: string, { rows }: SchemaFixture): Record<string, number> {
  const [counts = {}] = readElsewhere(file, `SELECT ${Object.keys(rows).map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`).join(', ')}`);
  return Object.fromEntries(Object.entries(counts).map(([table, count]) => [table, Number(count)]));
}

/** The same rows out of schemas before 4 and from it on. */
const SHOWN = [
  [
    `SELECT message_seq, id, network_id, alias, type, priority, content, context, from_session, task_id, attempt, in_reply_to, status, response,
       created_at, notified_at, fetched_at, acked_at, withdrawn_at FROM messages ORDER BY message_seq`,
    `SELECT message_seq, coalesce(m.id, task_id) AS id, m.network_id, alias, type, m.priority, coalesce(m.content, t.content) AS content,
       CASE type WHEN 'task' THEN context END AS context, coalesce(from_session, from_name) AS from_session, task_id, m.attempt, in_reply_to, m.status,
       response, m.created_at, notified_at, fetched_at, m.acked_at, withdrawn_at FROM messages m LEFT JOIN tasks t USING (task_seq) ORDER BY message_seq`,
  ],
  ['SELECT event_seq, task_id, from_status, to_status, actor, detail, created_at FROM task_events ORDER BY event_seq',
    'SELECT event_seq, task_id, from_status, to_status, actor, detail, e.created_at FROM task_events e JOIN tasks USING (task_seq) ORDER BY event_seq'],
  ['SELECT seq, network_id, alias, name, data FROM events ORDER BY seq', 'SELECT seq, network_id, alias, name, data FROM events ORDER BY seq'],
  ["SELECT max(seq) AS latest FROM sqlite_sequence WHERE name = 'messages'", "SELECT max(seq) AS latest FROM sqlite_sequence WHERE name = 'messages'"],
  ['SELECT min(seq) - 1 AS oldest FROM events', 'SELECT events_after AS oldest FROM hub'],
] as const;

/** Since schema 4, most events store no data: it is built from the rows that they refer to. */
const EVENTS = {
  before4: 'SELECT seq, network_id, data FROM events ORDER BY seq',
  from4: `SELECT seq, network_id, data FROM events
    UNION ALL SELECT event_seq, network_id, NULL FROM task_events WHERE is_event = 1
    UNION ALL SELECT event_seq - 1, network_id, NULL FROM task_events WHERE alias IS NOT NULL ORDER BY seq`,
};

describe.each(OLD)('schema $schema', (fixture) => {
  const copyOf = (file: string): string => join(dirname(file), 'backups', `agenthub-before-schema-${SCHEMA_VERSION}.db`);

  test('is brought to the newest with every row, and a copy from before stays', async () => {
    const file = unpacked(fixture);
    expect(await migrate(file)).toEqual({ from: fixture.schema, to: SCHEMA_VERSION, copy: copyOf(file) });
    expect(await assertOurs(file)).toBe(SCHEMA_VERSION);
    expect(await assertSound(file, Infinity)).toBe(true);
    expect(rowsIn(file, fixture)).toEqual(fixture.rows);
    expect(await assertOurs(copyOf(file))).toBe(fixture.schema);
    expect(rowsIn(copyOf(file), fixture)).toEqual(fixture.rows);
    expect(await migrate(file)).toBeUndefined();
  });

  test('messages and the ledger show what they showed', async () => {
    const [before, after] = [unpacked(fixture), unpacked(fixture)];
    await migrate(after);
    for (const [old, present] of SHOWN) expect(readElsewhere(after, present)).toEqual(readElsewhere(before, fixture.schema < 4 ? old : present));
    expect(readElsewhere(after, "SELECT count(*) AS copies FROM messages WHERE type = 'task' AND content IS NOT NULL")).toEqual([{ copies: 0 }]);
  });

  test('events from before can be replayed, and those that come go on behind every number there was', async () => {
    const file = unpacked(fixture);
    const [last] = readElsewhere(file, "SELECT max(seq) AS seq FROM sqlite_sequence WHERE name IN ('events', 'task_events')");
    const old = readElsewhere(file, fixture.schema < 4 ? EVENTS.before4 : EVENTS.from4);
    const [{ after } = {}] = readElsewhere(file, fixture.schema < 4 ? 'SELECT min(seq) - 1 AS after FROM events' : 'SELECT events_after AS after FROM hub');
    await migrate(file);
    const store = await openDatabase({ file, clock: { now: () => fixture.made_at }, publish: () => {}, onError: fail, onFatal: fail });
    const network_id = fixture.account.network_id;
    await store.write(async (tx) => {
      const task = await tasks.findByEitherId(tx, network_id, String(fixture.account.tasks['delivered']));
      if (task !== undefined) tx.record({ task, from_status: 'delivered', actor: 'test', detail: null });
    });
    const { position, missed } = await store.read(async (reader) => {
      const position = await events.position(reader);
      return { position, missed: await listMissed(reader, { networks: [network_id], alias: undefined, after: position.after, limit: 1_000 }) };
    });
    await store.close();
    expect(position).toMatchObject({ after: Number(after), latest: Number(last?.['seq']) + 1 });
    const kept = old.filter((event) => event['network_id'] === network_id);
    expect(missed.map(({ seq }) => seq)).toEqual([...kept.map(({ seq }) => Number(seq)), position.latest]);
    expect(missed.slice(0, -1).map(({ data }) => data)).toEqual(kept.map(({ data }) => data ?? expect.any(String)));
  });

  test('an upgrade tried again keeps the first copy and the latest, and no more', async () => {
    const file = unpacked(fixture);
    for (let time = 1; time <= 3; time++) {
      for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
      unpack(fixture, file);
      await migrate(file);
    }
    expect(readdirSync(join(dirname(file), 'backups')).sort()).toEqual([`agenthub-before-schema-${SCHEMA_VERSION}-again.db`, `agenthub-before-schema-${SCHEMA_VERSION}.db`]);
  });

  test('a copy that cannot be made stops the upgrade before anything changes', async () => {
    const file = unpacked(fixture);
    mkdirSync(copyOf(file), { recursive: true });
    mkdirSync(copyOf(file).replace('.db', '-again.db'));
    await expect(migrate(file)).rejects.toThrow();
    expect(await assertOurs(file)).toBe(fixture.schema);
  });

  test('the program is killed before any statement, and the next start finishes it', async () => {
    const file = unpacked(fixture);
    const moments = await stillsOf(dirname(file), () => migrate(file));
    expect(moments.length).toBeGreaterThan(2);
    for (const still of moments) {
      await migrate(join(still, 'agenthub.db'));
      expect(await assertOurs(join(still, 'agenthub.db'))).toBe(SCHEMA_VERSION);
      expect(rowsIn(join(still, 'agenthub.db'), fixture)).toEqual(fixture.rows);
      expect(existsSync(copyOf(join(still, 'agenthub.db')))).toBe(true);
    }
  });
});

/**
 * The directory as it stands before each statement, once for every state it is in: what a kill at that moment leaves, since the
 * files of a killed program hold all that it had written.
 */
async function stillsOf(directory: string, act: () => Promise<unknown>): Promise<string[]> {
  const stills = new Map<string, string>();
  const take = (): void => {
    const state = createHash('sha256');
    for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort()) state.update(name).update(bytesOf(join(directory, name)));
    const key = state.digest('hex');
    if (stills.has(key)) return;
    const still = join(temporaryDirectory(), 'still');
    cpSync(directory, still, { recursive: true });
    stills.set(key, still);
  };
  const { exec, prepare } = Driver.prototype;
  Object.assign(Driver.prototype, {
    exec(this: Driver.Database, sql: string) {
      take();
      return exec.call(this, sql);
    },
    prepare(this: Driver.Database, sql: string) {
      take();
      return prepare.call(this, sql);
    },
  });
  try {
    await act();
  } finally {
    Object.assign(Driver.prototype, { exec, prepare });
  }
  return [...stills.values()];
}

function bytesOf(path: string): Uint8Array {
  return path.endsWith('backups') || path.endsWith('-shm') ? new Uint8Array() : readFileSync(path);
}
