// Upgrades databases of every past schema to the newest: completely, even if the program is killed at any point, and
// never without a backup copy.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import Driver from 'libsql';
import { describe, expect, test } from 'vitest';
import { findWrongCounters } from '../../../server/store/counts/counters.ts';
import { openFile } from '../../../server/store/engine/libsql/database.ts';
import * as events from '../../../server/store/events.ts';
import { assertOurs } from '../../../server/store/file/identity.ts';
import { assertIntact, WHOLE } from '../../../server/store/file/integrity.ts';
import { migrate } from '../../../server/store/file/migrate.ts';
import { SCHEMA_VERSION } from '../../../server/store/file/migrations.ts';
import { listMissed } from '../../../server/store/lists/replay.ts';
import * as tasks from '../../../server/store/tasks.ts';
import { readElsewhere } from '../../support/process/other-process.ts';
import { SCHEMA_FIXTURES, type SchemaFixture, unpack } from '../../support/store/schema-fixtures.ts';
import { temporaryDirectory } from '../../support/test-hub.ts';

const OLD = SCHEMA_FIXTURES.filter(({ schema }) => schema < SCHEMA_VERSION);

test('a fixture of every schema exists, and npm run schema-fixture creates the newest', () => {
  expect(SCHEMA_FIXTURES.map(({ schema }) => schema)).toEqual(
    Array.from({ length: SCHEMA_VERSION }, (_, index) => index + 1),
  );
});

const fail = (error: unknown): never => {
  throw error;
};

function changeElsewhere(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

function unpacked(fixture: SchemaFixture): string {
  const file = join(temporaryDirectory(), 'agenthub.db');
  unpack(fixture, file);
  return file;
}

/** The rows of each table in the fixture. */
function rowsIn(file: string, { rows }: SchemaFixture): Record<string, number> {
  const [counts = {}] = readElsewhere(
    file,
    `SELECT ${Object.keys(rows)
      .map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`)
      .join(', ')}`,
  );
  return Object.fromEntries(Object.entries(counts).map(([table, count]) => [table, Number(count)]));
}

/** The same rows from schemas before 4 and from the newest. */
const SHOWN = [
  [
    `SELECT message_seq, id, network_id, alias, type, priority, content, context, from_session, task_id, attempt, in_reply_to, status, response,
       created_at, notified_at, fetched_at, acked_at, withdrawn_at FROM messages ORDER BY message_seq`,
    `SELECT message_seq, coalesce(m.id, task_id) AS id, network_id, alias, type, m.priority, coalesce(m.content, t.content) AS content,
       CASE type WHEN 'task' THEN context END AS context, coalesce(from_session, from_name) AS from_session, task_id, m.attempt, in_reply_to, m.status,
       response, m.created_at, notified_at, fetched_at, m.acked_at, withdrawn_at
     FROM messages m JOIN networks n ON n.network_seq = m.network_seq LEFT JOIN tasks t USING (task_seq) ORDER BY message_seq`,
  ],
  [
    'SELECT event_seq, task_id, from_status, to_status, actor, detail, created_at FROM task_events ORDER BY event_seq',
    `SELECT event_seq, task_id, from_status, coalesce(to_status, 'delivered') AS to_status, actor, detail, e.created_at
     FROM task_events e JOIN tasks USING (task_seq) ORDER BY event_seq`,
  ],
  [
    'SELECT seq, network_id, alias, name, data FROM events ORDER BY seq',
    'SELECT seq, network_id, alias, name, data FROM events JOIN networks USING (network_seq) ORDER BY seq',
  ],
  ['SELECT min(seq) - 1 AS oldest FROM events', 'SELECT events_after AS oldest FROM hub'],
] as const;

/**
 * Tables that refer to their network by number since schema 5: the first schema with their other columns, and the rows
 * to reassign.
 */
const KEYED = {
  sessions: [1, 'session_seq % 2 = 0'],
  tasks: [1, 'task_seq % 2 = 0'],
  completions: [1, 'true'],
  nodes: [1, 'node_seq = 1'],
  messages: [4, 'message_seq % 2 = 0'],
  broadcasts: [4, 'true'],
  task_events: [4, 'task_seq % 2 = 0'],
  events: [4, 'seq % 2 = 0'],
} as const;

/**
 * The columns of each of these tables in a file of this schema, after part of the rows was moved to its other network.
 */
function divideRows(file: string, { schema }: SchemaFixture): [table: string, columns: string[]][] {
  const database = new DatabaseSync(file);
  const divided = Object.entries(KEYED).filter(([, [since]]) => since <= schema);
  for (const [table, [, given]] of divided)
    database.exec(
      `UPDATE ${table} SET network_id = (SELECT max(network_id) FROM networks WHERE network_id <> ${table}.network_id) WHERE ${given}`,
    );
  const columnsOf = (table: string): string[] =>
    database
      .prepare('SELECT name FROM pragma_table_xinfo(?)')
      .all(table)
      .map(({ name }) => String(name));
  const columns = divided.map(([table]): [string, string[]] => [
    table,
    columnsOf(table).filter((name) => name !== 'network_id'),
  ]);
  database.close();
  return columns;
}

// Since schema 10 a sending has no to_status.
const wholeColumn = (name: string): string =>
  name === 'to_status' ? "coalesce(t.to_status, 'delivered')" : `t.${name}`;

/** Every row, with the public id of its network, which this column refers to. */
function rowsByNetwork(
  file: string,
  by: 'network_id' | 'network_seq',
  tables: readonly [table: string, columns: string[]][],
): Record<string, object[]> {
  const database = new DatabaseSync(file);
  const rows = tables.map(([table, columns]) => {
    const shown = ['n.network_id', ...columns.map(wholeColumn)].join(', ');
    return [
      table,
      database.prepare(`SELECT ${shown} FROM ${table} t JOIN networks n USING (${by}) ORDER BY ${shown}`).all(),
    ] as const;
  });
  database.close();
  return Object.fromEntries(rows);
}

const SEQUENCES = 'SELECT name, seq FROM sqlite_sequence ORDER BY name';

/** What a reader of the fixture's network can replay. `data` is null where it comes from other rows. */
function eventsIn(file: string, { schema, account }: SchemaFixture): { seq: number; data: unknown }[] {
  const ofNetwork =
    schema < 5
      ? `network_id = '${account.network_id}'`
      : `network_seq = (SELECT network_seq FROM networks WHERE network_id = '${account.network_id}')`;
  const moves = `SELECT event_seq AS seq, NULL AS data FROM task_events WHERE is_event = 1 AND ${ofNetwork}
    UNION ALL SELECT event_seq - 1, NULL FROM task_events WHERE alias IS NOT NULL AND ${ofNetwork}`;
  const found = readElsewhere(
    file,
    `SELECT seq, data FROM events WHERE ${ofNetwork} ${schema < 4 ? '' : `UNION ALL ${moves}`} ORDER BY seq`,
  );
  return found.map(({ seq, data }) => ({ seq: Number(seq), data }));
}

describe.each(OLD)('schema $schema', (fixture) => {
  const copyOf = (file: string): string =>
    join(dirname(file), 'backups', `agenthub-before-schema-${SCHEMA_VERSION}.db`);

  test('is upgraded to the newest with every row, and a backup copy is kept', async () => {
    const file = unpacked(fixture);
    expect(await migrate(file)).toEqual({ from: fixture.schema, to: SCHEMA_VERSION, copy: copyOf(file) });
    expect(await assertOurs(file)).toBe(SCHEMA_VERSION);
    expect(await assertIntact(file, WHOLE)).toBe(true);
    expect(rowsIn(file, fixture)).toEqual(fixture.rows);
    expect(await assertOurs(copyOf(file))).toBe(fixture.schema);
    expect(rowsIn(copyOf(file), fixture)).toEqual(fixture.rows);
    expect(await migrate(file)).toBeUndefined();
  });

  test('a status lasts since the last progress that is known', async () => {
    const file = unpacked(fixture);
    await migrate(file);
    const earliest = 'min(last_seen_at, CASE marked_offline WHEN 1 THEN last_seen_at ELSE last_progress_at END)';
    const [wrong] = readElsewhere(
      file,
      `SELECT count(*) AS n FROM sessions WHERE status_since <> ${earliest} OR status_since = 0`,
    );
    expect(wrong).toEqual({ n: 0 });
  });

  test('messages and the ledger are unchanged', async () => {
    const [before, after] = [unpacked(fixture), unpacked(fixture)];
    await migrate(after);
    for (const [old, present] of fixture.schema < 4 ? SHOWN : [])
      expect(readElsewhere(after, present)).toEqual(readElsewhere(before, old));
    expect(
      readElsewhere(after, "SELECT count(*) AS copies FROM messages WHERE type = 'task' AND content IS NOT NULL"),
    ).toEqual([{ copies: 0 }]);
  });

  test('earlier events can be replayed, and new ones get higher numbers', async () => {
    const file = unpacked(fixture);
    const [last] = readElsewhere(
      file,
      "SELECT max(seq) AS seq FROM sqlite_sequence WHERE name IN ('events', 'task_events')",
    );
    const [oldest] = readElsewhere(
      file,
      fixture.schema < 4 ? 'SELECT min(seq) - 1 AS seq FROM events' : 'SELECT events_after AS seq FROM hub',
    );
    const old = eventsIn(file, fixture);
    await migrate(file);
    const store = await openFile({
      database: file,
      clock: { now: () => fixture.made_at },
      publish: () => {},
      onError: fail,
      onFatal: fail,
    });
    const network_id = fixture.account.network_id;
    await store.write(async (tx) => {
      const task = await tasks.findByEitherId(tx, network_id, String(fixture.account.tasks['delivered']));
      if (task !== undefined) tx.record({ task, from_status: 'delivered', actor: 'test', detail: null });
    });
    const {
      position,
      missed: { found: missed },
    } = await store.read(async (reader) => {
      const position = await events.position(reader);
      return {
        position,
        missed: await listMissed(reader, {
          networks: [network_id],
          alias: undefined,
          after: position.after,
          limit: 1_000,
          characters: Infinity,
          rows: 1_000,
        }),
      };
    });
    await store.close();
    expect(position).toMatchObject({ after: Number(oldest?.['seq']), latest: Number(last?.['seq']) + 1 });
    expect(missed.map(({ seq }) => seq)).toEqual([...old.map(({ seq }) => seq), position.latest]);
    expect(missed.slice(0, -1).map(({ data, network_id: of }) => ({ data, of }))).toEqual(
      old.map(({ data }) => ({ data: data ?? expect.any(String), of: network_id })),
    );
  });

  test('each upgrade after a rollback keeps another copy, and a retried one keeps no second', async () => {
    const file = unpacked(fixture);
    const copies: (string | undefined)[] = [];
    for (const writes of [0, 1, 1, 2]) {
      for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
      unpack(fixture, file);
      if (writes > 0) changeElsewhere(file, `UPDATE users SET display_name = 'after rollback ${writes}'`);
      copies.push((await migrate(file))?.copy);
    }
    expect(copies.map((path) => basename(path ?? ''))).toEqual([
      basename(copyOf(file)),
      `agenthub-before-schema-${SCHEMA_VERSION}-2.db`,
      `agenthub-before-schema-${SCHEMA_VERSION}-2.db`,
      `agenthub-before-schema-${SCHEMA_VERSION}-3.db`,
    ]);
  });

  test('an older version names the newest copy that it can use', async () => {
    const file = unpacked(fixture);
    await migrate(file);
    changeElsewhere(file, `PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
    await expect(assertOurs(file)).rejects.toThrow(
      `use a newer agenthub; the copy from before the upgrade is ${copyOf(file)}`,
    );
  });

  test('a copy that cannot be created stops the upgrade before any change', async () => {
    const file = unpacked(fixture);
    writeFileSync(dirname(copyOf(file)), 'in the way');
    await expect(migrate(file)).rejects.toThrow();
    expect(await assertOurs(file)).toBe(fixture.schema);
  });

  test('the program is killed before any statement, and the next start finishes the upgrade', async () => {
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

test.each(OLD.filter(({ schema }) => schema < 5))(
  'from schema $schema every row keeps its network, and no number is reused',
  async (fixture) => {
    const file = unpacked(fixture);
    const tables = divideRows(file, fixture);
    const [before, sequences] = [rowsByNetwork(file, 'network_id', tables), readElsewhere(file, SEQUENCES)];
    await migrate(file);
    expect(rowsByNetwork(file, 'network_seq', tables)).toEqual(before);
    expect(
      new Set(
        Object.values(before)
          .flat()
          .map((row) => 'network_id' in row && row.network_id),
      ).size,
    ).toBe(2);
    expect(readElsewhere(file, SEQUENCES)).toEqual(expect.arrayContaining(sequences));
    // The counters match the divided rows.
    expect(await findWrongCounters(async (sql) => readElsewhere(file, sql), SCHEMA_VERSION)).toEqual([]);
  },
);

/**
 * The directory before each statement, once per distinct state. This is what a kill at that point leaves, since the
 * files of a killed program hold all that it had written.
 */
async function stillsOf(directory: string, act: () => Promise<unknown>): Promise<string[]> {
  const stills = new Map<string, string>();
  const take = (): void => {
    const state = createHash('sha256');
    for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort())
      state.update(name).update(bytesOf(join(directory, name)));
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
