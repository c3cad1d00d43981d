// Possible changes to a backup: to its schema and its values, each with the name that the error must contain, and to
// its counters, which doctor checks.
import { DatabaseSync } from 'node:sqlite';

export type HostileChange = {
  name: string;
  message: RegExp;
  sql: string;
  /** The first schema that contains what it changes. */
  since?: number;
};

export const HOSTILE_CHANGES: readonly HostileChange[] = [
  {
    name: 'a trigger that copies token hashes',
    message: /trigger copy_hashes/,
    sql: 'CREATE TRIGGER copy_hashes AFTER INSERT ON tokens BEGIN UPDATE networks SET name = new.hash; END',
  },
  {
    name: 'a trigger that creates an admin',
    message: /trigger promote/,
    sql: "CREATE TRIGGER promote AFTER UPDATE ON sessions BEGIN UPDATE users SET role = 'admin'; END",
  },
  {
    name: 'a trigger that fires during a schema upgrade',
    message: /trigger on_upgrade/,
    sql: "CREATE TRIGGER on_upgrade AFTER UPDATE ON hub BEGIN UPDATE users SET role = 'admin'; END",
  },
  {
    name: "another trigger under the name of one of agenthub's",
    message: /trigger member_added/,
    sql: "DROP TRIGGER member_added; CREATE TRIGGER member_added AFTER INSERT ON members BEGIN UPDATE users SET role = 'admin'; END",
  },
  {
    name: 'a trigger removed, so that a revoked right remains',
    message: /trigger token_removed/,
    sql: 'DROP TRIGGER token_removed',
  },
  { name: 'a view', message: /view everything/, sql: 'CREATE VIEW everything AS SELECT * FROM tokens' },
  {
    name: 'a view in place of a table',
    message: /view audit_log/,
    sql: 'DROP TABLE audit_log; CREATE VIEW audit_log AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS entry_seq, i AS created_at FROM n',
  },
  {
    name: 'a view in place of the schema table',
    message: /view sqlite_schema|SQLITE_CORRUPT/, // SQLite itself rejects a second object of that name
    sql: `PRAGMA writable_schema = 1; CREATE VIEW sqlite_schemb AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS sql FROM n;
      UPDATE sqlite_schema SET name = 'sqlite_schema', tbl_name = 'sqlite_schema', sql = replace(sql, 'sqlite_schemb', 'sqlite_schema') WHERE name = 'sqlite_schemb'`,
  },
  {
    name: 'views in place of the checks',
    message: /view pragma_integrity_check, view pragma_foreign_key_check, view pragma_page_count/,
    sql: `CREATE VIEW pragma_integrity_check AS SELECT 'ok' AS integrity_check; CREATE VIEW pragma_foreign_key_check AS SELECT 1 AS "table" WHERE 0;
      CREATE VIEW pragma_page_count AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) AS page_count FROM n`,
  },
  { name: 'a table', message: /table stash/, sql: 'CREATE TABLE stash (text TEXT)' },
  {
    name: 'statistics that make SQLite choose the wrong index',
    message: /table sqlite_stat1/,
    sql: "ANALYZE; UPDATE sqlite_stat1 SET stat = '1000000 1000000'",
  },
  {
    name: 'a table with a reserved SQLite name',
    message: /table sqlite_stash/,
    sql: `PRAGMA writable_schema = 1; CREATE TABLE stash (text TEXT);
      UPDATE sqlite_schema SET name = 'sqlite_stash', tbl_name = 'sqlite_stash', sql = 'CREATE TABLE sqlite_stash (text TEXT)' WHERE name = 'stash'`,
  },
  { name: 'a virtual table', message: /table search/, sql: 'CREATE VIRTUAL TABLE search USING fts5 (text)' },
  {
    name: 'a virtual table of an unknown module',
    message: /table remote/,
    sql: "PRAGMA writable_schema = 1; INSERT INTO sqlite_schema VALUES ('table', 'remote', 'remote', 0, 'CREATE VIRTUAL TABLE remote USING remote_files (''/etc/passwd'')')",
  },
  {
    name: 'an index over an expression',
    message: /index slow/,
    sql: 'CREATE INDEX slow ON tasks (hex(zeroblob(length(content))))',
  },
  {
    name: 'an index that rejects writes',
    message: /index only_one/,
    sql: 'CREATE UNIQUE INDEX only_one ON sessions (status) WHERE alias = char(0)',
  },
  {
    name: 'a generated column',
    message: /table users/,
    sql: 'ALTER TABLE users ADD COLUMN copy TEXT AS (username)',
  },
  {
    name: 'a column with a default',
    message: /table networks/,
    sql: "ALTER TABLE networks ADD COLUMN note TEXT DEFAULT 'x'",
  },
  {
    name: 'a constraint removed',
    message: /table users/,
    sql: "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql, 'CHECK (role = ''admin'' OR role = ''user'')', '') WHERE name = 'users'",
  },
  {
    name: 'a foreign key that clears another table',
    message: /table audit_log/,
    sql: "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ', FOREIGN KEY (network_id) REFERENCES networks (network_id) ON DELETE CASCADE) STRICT') WHERE name = 'audit_log'",
  },
  {
    name: 'a name with terminal escapes',
    message: /view \?\[2Jgone/,
    sql: 'CREATE VIEW "\u001b[2Jgone" AS SELECT 1',
  },
];

const set = (name: string, error: RegExp, sql: string, since = 1): HostileChange => ({
  name,
  message: error,
  sql: `UPDATE ${sql}`,
  since,
});
const unsafe = '9007199254740991';

/** Each would crash the hub or make calls fail forever. They need a database with rows in every table. */
export const HOSTILE_VALUES: readonly HostileChange[] = [
  { name: 'no row of the hub', message: /hub does not have exactly one row/, sql: 'DELETE FROM hub' },
  set('an invalid id key', /hub\.id_key does not/, "hub SET id_key = 'zz'", 3),
  set('an empty id key', /hub\.id_key does not/, "hub SET id_key = ''", 3),
  set(
    'an epoch that adds events to a stream',
    /hub\.epoch does not/,
    "hub SET epoch = 'x' || char(10) || 'data: evil'",
  ),
  set('the maximum version of rights', /hub\.access_version is not from/, `hub SET access_version = ${unsafe}`),
  set(
    'the maximum sequence number of SQLite',
    /sqlite_sequence\.seq is not/,
    "sqlite_sequence SET seq = 9223372036854775807 WHERE name = 'messages'",
  ),
  set(
    'a last sequence number beyond 48 bits',
    /sqlite_sequence\.seq is not/,
    "sqlite_sequence SET seq = 281474976710656 WHERE name = 'events'",
  ),
  set(
    'a last sequence number below 0',
    /sqlite_sequence\.seq is not/,
    "sqlite_sequence SET seq = -5 WHERE name = 'messages'",
  ),
  set(
    'a last sequence number that is text',
    /sqlite_sequence\.seq is not/,
    "sqlite_sequence SET seq = 'abc' WHERE name = 'events'",
  ),
  {
    name: 'two last sequence numbers',
    message: /sqlite_sequence lists a table twice/,
    sql: "INSERT INTO sqlite_sequence VALUES ('users', 2), ('users', 3)",
  },
  set(
    'an event beyond 48 bits',
    /events\.seq is not from/,
    'events SET seq = 281474976710657 WHERE seq = (SELECT max(seq) FROM events)',
  ),
  set(
    'an audit entry beyond 48 bits',
    /audit_log\.entry_seq is not from/,
    'audit_log SET entry_seq = 281474976710657 WHERE entry_seq = (SELECT max(entry_seq) FROM audit_log)',
  ),
  set(
    'a completion before the first',
    /completions\.completion_seq is not from/,
    'completions SET completion_seq = -7 WHERE completion_seq = 1',
  ),
  set('a last attempt', /tasks\.attempt is not from/, `tasks SET attempt = ${unsafe}`),
  set('an entry beyond all dates', /audit_log\.created_at is not from/, `audit_log SET created_at = ${unsafe}`),
  set(
    'a message after the last date of JavaScript',
    /messages\.created_at is not from/,
    'messages SET created_at = 8640000000000001',
  ),
  set('a token used at the end of time', /tokens\.last_used_at is not from/, `tokens SET last_used_at = ${unsafe}`),
  set(
    'a session seen at the end of time',
    /sessions\.last_seen_at is not from/,
    `sessions SET last_seen_at = ${unsafe}`,
  ),
  set(
    'an event of the last millisecond of 9999',
    /events\.created_at is not from/,
    'events SET created_at = 253402300799999',
  ),
  set('a task that expires after 9999', /tasks\.expires_at is not from/, 'tasks SET expires_at = 253402300800000'),
  set('a task from before all dates', /tasks\.created_at is not from/, `tasks SET created_at = -${unsafe}`),
  set(
    'event data that is not JSON',
    /events\.data is not the JSON/,
    "events SET data = '{not json' WHERE data IS NOT NULL",
  ),
  set(
    'event data of several lines',
    /events\.data is not the JSON/,
    "events SET data = '{' || char(10) || '}' WHERE data IS NOT NULL",
  ),
  set(
    'event data that becomes JSON with its neighbors',
    /events\.data is not the JSON/,
    "events SET data = '{}' || char(1) || '{}' WHERE data IS NOT NULL",
  ),
  set(
    'a stored result that is not JSON',
    /idempotency\.answer is not the JSON/,
    "idempotency SET answer = '{not json'",
  ),
  set(
    'artifacts that are not an array',
    /completions\.artifacts is not the JSON/,
    `completions SET artifacts = '{"a":1}'`,
  ),
  set('channels that are not an array', /sessions\.channels is not the JSON/, "sessions SET channels = '{}'"),
  set('an invalid password hash', /users\.password_hash does not/, "users SET password_hash = 'x'"),
  set(
    'a password hash that takes days',
    /users\.password_hash does not/,
    "users SET password_hash = '$2b$31$abcdefghijklmnopqrstuuFLqwFqEbbBFIWBzYRxzpGZcQ6xyVyyy'",
  ),
  set('invalid token hashes', /tokens\.token_hash does not/, "tokens SET token_hash = 'x' || token_seq"),
  set('invalid invite hashes', /invites\.code_hash does not/, 'invites SET code_hash = upper(code_hash)'),
];

/** `says` names the counter, as doctor does. */
export const WRONG_COUNTERS: readonly HostileChange[] = [
  set('inboxes that count nothing', /inboxes\.pending of/, 'inboxes SET pending = 0'),
  set('inboxes that are full', /inboxes\.pending of/, `inboxes SET pending = ${unsafe}`),
  { name: 'inboxes that are missing', message: /inboxes\.pending of/, sql: 'DELETE FROM inboxes' },
  set('networks that count no sessions', /session_counts\.sessions of/, 'session_counts SET sessions = 0', 3),
  set('networks full of sessions', /session_counts\.sessions of/, `session_counts SET sessions = ${unsafe}`, 3),
  {
    name: 'counts of sessions that are missing',
    message: /session_counts\.sessions of/,
    sql: 'DELETE FROM session_counts',
    since: 3,
  },
  set('networks that count no tasks', /task_counts\.tasks of/, 'task_counts SET tasks = 0', 4),
  set('networks full of tasks', /task_counts\.tasks of/, `task_counts SET tasks = ${unsafe}`, 4),
  {
    name: 'counts of tasks that are missing',
    message: /task_counts\.tasks of/,
    sql: 'DELETE FROM task_counts',
    since: 4,
  },
  set('minutes in which nothing was sent', /move_counts\.sent of/, 'move_counts SET sent = 0', 6),
  set('durations of no task', /duration_counts\.tasks of/, 'duration_counts SET tasks = 0', 10),
];

/** Changes the database in `file` as its owner could with the sqlite3 program. */
export function applyHostile({ sql }: HostileChange, file: string): void {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false, defensive: false });
  database.exec(sql);
  database.close();
}
