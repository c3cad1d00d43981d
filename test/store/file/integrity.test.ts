// A database file is checked before it is opened. A damaged file is rejected with a one-line error and not modified.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import {
  applyHostile,
  HOSTILE_CHANGES,
  HOSTILE_VALUES,
  WRONG_COUNTERS,
} from '../../../scripts/trust/storage/hostile-changes.ts';
import { StartError } from '../../../server/domain/errors.ts';
import { openFile } from '../../../server/store/engine/libsql/database.ts';
import { copyDatabase } from '../../../server/store/file/copy.ts';
import { APPLICATION_ID, assertOurs } from '../../../server/store/file/identity.ts';
import { assertIntact, WHOLE } from '../../../server/store/file/integrity.ts';
import { migrate } from '../../../server/store/file/migrate.ts';
import { MIGRATIONS } from '../../../server/store/file/migrations.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { startElsewhere } from '../../support/process/other-process.ts';
import { createDatabase } from '../../support/store/new-database.ts';
import { SCHEMA_FIXTURES, type SchemaFixture, unpack } from '../../support/store/schema-fixtures.ts';
import { temporaryDirectory } from '../../support/test-hub.ts';

const HASH = `$2b$12$${'x'.repeat(53)}`;

async function filledFile(): Promise<string> {
  const file = join(temporaryDirectory(), 'agenthub.db');
  await createDatabase(file);
  execute(
    file,
    `INSERT INTO users VALUES (1, 'usr_1', 'ann', 'ann', 'Ann', 'admin', NULL, '${HASH}', 1, NULL);
    INSERT INTO networks VALUES (1, 'net_1', 'home', 'usr_1', 'private', 50, '', 1, NULL, NULL);
    WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
    INSERT INTO audit_log (actor, action, target_type, detail, created_at) SELECT 'ann', 'log in ' || i, 'user', 'détail 猫 ' || i, i FROM n`,
  );
  return file;
}

function execute(file: string, sql: string): void {
  const database = new DatabaseSync(file, { defensive: false });
  database.exec(sql);
  database.close();
}

/** Overwrites the place where `text` is found with these bytes. */
function overwrite(file: string, text: string, bytes: Uint8Array): void {
  const content = readFileSync(file);
  const at = content.lastIndexOf(text);
  if (at === -1) throw new Error(`${text} does not occur`);
  content.set(bytes, at);
  writeFileSync(file, content);
}

const changeSchema = (file: string, sql: string): void => execute(file, `PRAGMA writable_schema = 1; ${sql}`);

const NOTHING = { bytes: 0, rows: 0 };

test('an intact file passes', async () => {
  expect(await assertIntact(await filledFile())).toBe(true);
});

test('the rows of a file above the byte or row limit are not checked', async () => {
  const file = await filledFile();
  const { size } = statSync(file);
  overwrite(file, 'détail 猫 450', Uint8Array.of(0xff));
  await expect(assertIntact(file, { bytes: size, rows: 1_000 })).rejects.toThrow('is damaged');
  expect(await assertIntact(file, { bytes: size - 1, rows: 1_000 })).toBe(false);
  expect(await assertIntact(file, { bytes: size, rows: 900 })).toBe(false);
});

describe.each(HOSTILE_CHANGES)('$name', (change) => {
  test('is rejected by name before the file is used', async () => {
    const file = await filledFile();
    applyHostile(change, file);
    await expectRefused(file, change.message);
  });

  test.each(SCHEMA_FIXTURES)('is rejected in a file of schema $schema as well', async (fixture) => {
    const file = join(temporaryDirectory(), 'agenthub.db');
    unpack(fixture, file);
    applyHostile(change, file);
    await expectRefused(file, change.message);
  });
});

describe.each(HOSTILE_VALUES)('$name', ({ since = 1, ...change }) => {
  test.each(SCHEMA_FIXTURES.filter(({ schema }) => schema >= since))(
    'is rejected by name in a file of schema $schema',
    async (fixture) => {
      const file = unpacked(fixture);
      applyHostile(change, file);
      await expectRefusedBy([() => assertIntact(file), () => copyDatabase(file, `${file}.copy`)], file, change.message);
    },
  );
});

test.each(HOSTILE_VALUES.filter(({ message }) => /hub|sqlite_sequence/.test(message.source)))(
  '$name is also rejected where a file is too large for a full check',
  async (change) => {
    const file = await filledFile();
    execute(file, "INSERT OR IGNORE INTO sqlite_sequence VALUES ('events', 1), ('messages', 1)");
    applyHostile(change, file);
    await expectRefusedBy([() => assertIntact(file, NOTHING)], file, change.message);
  },
);

test.each(SCHEMA_FIXTURES)(
  'a file of schema $schema passes, even with wrong counters, which doctor reports',
  async (fixture) => {
    const file = unpacked(fixture);
    expect(await assertIntact(file)).toBe(true);
    for (const counter of WRONG_COUNTERS.filter(({ since = 1 }) => since <= fixture.schema))
      applyHostile(counter, file);
    expect(await assertIntact(file)).toBe(true);
  },
);

function unpacked(fixture: SchemaFixture): string {
  const file = join(temporaryDirectory(), 'agenthub.db');
  unpack(fixture, file);
  return file;
}

function expectRefused(file: string, message: RegExp): Promise<void> {
  const uses = [
    () => assertOurs(file),
    () => assertIntact(file, NOTHING),
    () => assertIntact(file, WHOLE),
    () => migrate(file),
    () => copyDatabase(file, `${file}.copy`),
  ];
  return expectRefusedBy(uses, file, message);
}

async function expectRefusedBy(
  uses: readonly (() => Promise<unknown>)[],
  file: string,
  message: RegExp,
): Promise<void> {
  const before = readFileSync(file);
  for (const use of uses) {
    const refused = use();
    await expect(refused).rejects.toBeInstanceOf(StartError);
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.toThrow(/^[\x20-\x7e]+$/);
  }
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(existsSync(`${file}.copy`)).toBe(false);
}

test('a UTF-16 database is rejected', async () => {
  const file = join(temporaryDirectory(), 'agenthub.db');
  execute(
    file,
    `PRAGMA encoding = 'UTF-16le'; ${MIGRATIONS.join(';')}; PRAGMA user_version = ${MIGRATIONS.length}; PRAGMA application_id = ${APPLICATION_ID}`,
  );
  await expectRefused(file, /its text encoding is UTF-16le/);
});

test('tables in a file marked as empty are rejected', async () => {
  const file = join(temporaryDirectory(), 'agenthub.db');
  execute(file, 'CREATE TABLE users (name TEXT); PRAGMA schema_version = 0');
  await expectRefused(file, /table users/);
});

test.each<[string, RegExp, (file: string) => void]>([
  [
    'a text that is not UTF-8',
    /a text in audit_log is not UTF-8/,
    (file) => overwrite(file, 'détail 猫 450', Uint8Array.of(0xff)),
  ],
  [
    'one in a table without row numbers',
    /a text in inboxes is not UTF-8/,
    (file) => execute(file, "INSERT INTO inboxes VALUES (1, CAST(x'c328' AS TEXT), 0)"),
  ],
  [
    'a text of five megabytes',
    /a value in audit_log is larger/,
    (file) => execute(file, 'UPDATE audit_log SET detail = hex(zeroblob(2500000)) WHERE entry_seq = 450'),
  ],
  [
    'a number beyond JavaScript integers',
    /users\.created_at is not from 0 to/,
    (file) => execute(file, 'UPDATE users SET created_at = 9007199254740993'),
  ],
  [
    'half a character at the end of a text',
    /a text in audit_log is not UTF-8/,
    (file) => execute(file, "UPDATE audit_log SET ip = CAST(x'e78c' AS TEXT) WHERE entry_seq = 900"),
  ],
  ['a page of zeros', /is damaged \(/, (file) => overwrite(file, 'détail 猫 450', new Uint8Array(1_000))],
  [
    'an entry missing in an index',
    /missing from index audit_log_by_action/,
    (file) => overwrite(file, 'log in 77', Buffer.from('lug')),
  ],
  [
    'a value that the schema forbids',
    /is damaged \(/,
    (file) => changeSchema(file, "PRAGMA ignore_check_constraints = 1; UPDATE users SET role = 'king'"),
  ],
  [
    'a row without its parent',
    /a row of members refers to/,
    (file) => execute(file, "PRAGMA foreign_keys = 0; INSERT INTO members VALUES (1, 'net_2', 'usr_1', 'owner', 1)"),
  ],
  [
    'a task without its network',
    /a row of tasks refers to/,
    (file) =>
      execute(
        file,
        `INSERT INTO tasks (task_id, network_seq, from_name, to_name, priority, status, content, ttl_seconds, created_at, delivered_at, expires_at)
         VALUES ('task_1', 99, 'a', 'b', 'normal', 'delivered', 'x', 60, 1, 1, 2)`,
      ),
  ],
  [
    'another word in a trigger',
    /the trigger message_leaves is not as agenthub created it/,
    (file) =>
      changeSchema(
        file,
        "UPDATE sqlite_schema SET sql = replace(sql, 'pending - 1', 'pending - 2') WHERE name = 'message_leaves'",
      ),
  ],
  [
    'an index removed',
    /the index tasks_settled is not as agenthub created it/,
    (file) => execute(file, 'DROP INDEX tasks_settled'),
  ],
  [
    'a schema that cannot be read',
    /cannot be opened as a database \(/,
    (file) => changeSchema(file, "UPDATE sqlite_schema SET sql = 'CREATE TIBLE x' WHERE name = 'tasks'"),
  ],
  [
    'a schema that is not UTF-8',
    /cannot be opened as a database \(|is not as agenthub created it/,
    (file) => changeSchema(file, "UPDATE sqlite_schema SET sql = CAST(x'fffe41' AS TEXT) WHERE name = 'tasks'"),
  ],
])('%s is rejected', async (_, reason, damage) => {
  const file = await filledFile();
  damage(file);
  const before = readFileSync(file);
  const refused = assertIntact(file);
  await expect(refused).rejects.toBeInstanceOf(StartError);
  await expect(refused).rejects.toThrow(reason);
  await expect(refused).rejects.toThrow(/^[\x20-\x7e]+$/);
  expect(readFileSync(file).equals(before)).toBe(true);
});

test.each<[string, (file: string) => Promise<unknown>]>([
  ['checked', assertOurs],
  ['upgraded', migrate],
  ['checked', (file) => assertIntact(file)],
  [
    'opened',
    (file) =>
      openFile({ database: file, clock: manualClock(), publish: () => {}, onError: () => {}, onFatal: () => {} }),
  ],
])('a file locked by another program is not %s: the error names the lock', async (_, open) => {
  const file = await filledFile();
  await startElsewhere(HOLD, [file]);
  await expect(open(file)).rejects.toThrow(
    `${file} cannot be opened as a database (SQLITE_BUSY): another program is using it`,
  );
});

const HOLD = `
  const { DatabaseSync } = await import('node:sqlite');
  new DatabaseSync(process.argv[1]).exec('BEGIN EXCLUSIVE');
  console.log('held');
  setInterval(() => {}, 1_000);
`;
