// The database rejects every illegal state. Every illegal row is a legal one with one change.
import { describe, expect, test } from 'vitest';
import type { SqlValue } from '../../server/store/engine/transaction.ts';
import { openTestDatabase, type TestDatabase } from '../support/store/test-database.ts';

type Values = Record<string, SqlValue>;

/** One legal row for every table, in an order that satisfies the references. */
const LEGAL = {
  users: {
    user_id: 'u1',
    username: 'Ann',
    username_key: 'ann',
    display_name: 'Ann',
    role: 'admin',
    password_hash: 'x',
    created_at: 1,
  },
  networks: {
    network_seq: 7,
    network_id: 'n1',
    network_name: 'one',
    owner_id: 'u1',
    visibility: 'private',
    max_members: 50,
    created_at: 1,
  },
  members: { network_id: 'n1', user_id: 'u1', role: 'owner', joined_at: 1 },
  tokens: {
    token_id: 'k1',
    token_hash: 'h1',
    user_id: 'u1',
    network_id: 'n1',
    kind: 'network',
    name: 'a',
    created_at: 1,
  },
  sessions: { network_seq: 7, resume_id: 'r1', alias: 'bob', status: 'idle', last_seen_at: 1 },
  tasks: {
    task_seq: 1,
    task_id: 't1',
    network_seq: 7,
    from_name: 'alice',
    to_name: 'bob',
    priority: 'normal',
    status: 'delivered',
    content: 'x',
    attempt: 1,
    ttl_seconds: 60,
    created_at: 1,
    delivered_at: 1,
    started_at: null,
    completed_at: null,
    expires_at: 2,
  },
  inboxes: { network_seq: 7, alias: 'bob', pending: 1 },
  messages: {
    id: 'm1',
    network_seq: 7,
    alias: 'bob',
    type: 'task',
    priority: 'normal',
    content: null,
    from_session: null,
    task_seq: 1,
    attempt: 1,
    status: null,
    created_at: 1,
  },
  completions: { id: 'c1', network_seq: 7, alias: 'bob', task: 'x', result: 'y', score: 5, completed_at: 1 },
  task_events: {
    network_seq: 7,
    task_seq: 1,
    from_status: null,
    to_status: 'delivered',
    actor: 'alice',
    is_event: 1,
    created_at: 1,
  },
  events: { network_seq: 7, alias: 'bob', name: 'new_task', data: '{}', created_at: 1 },
  audit_log: { actor: 'a', action: 'b', target_type: 'c', created_at: 1 },
} satisfies Record<string, Values>;

type Table = keyof typeof LEGAL;

/** The columns that only a message of a task has. */
const ATTEMPT = { type: 'task', content: null, from_session: null, task_seq: 1, attempt: 1 } satisfies Values;

/** The changes that make a second row of the same table legal. */
const SECOND: Partial<Record<Table, Values>> = {
  users: { user_id: 'u2', username: 'Ben', username_key: 'ben', role: 'user' },
  networks: { network_seq: 8, network_id: 'n2' },
  tokens: { token_id: 'k2', token_hash: 'h2' },
  sessions: { resume_id: 'r2', alias: 'carol' },
  tasks: { task_seq: 2, task_id: 't2' },
  messages: { id: 'm2', type: 'message', content: 'x', from_session: 'alice', task_seq: null, attempt: null },
  completions: { id: 'c2' },
  inboxes: { alias: 'carol' },
};

async function openWithOneOfEach(): Promise<TestDatabase> {
  const database = await openTestDatabase();
  for (const [table, values] of Object.entries(LEGAL)) await insert(database, table, values);
  return database;
}

function insert(database: TestDatabase, table: string, values: Values): Promise<unknown> {
  const columns = Object.keys(values);
  const marks = columns.map(() => '?').join(', ');
  return database.write((tx) =>
    tx.run(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks})`, Object.values(values)),
  );
}

function run(database: TestDatabase, sql: string): Promise<unknown> {
  return database.write((tx) => tx.run(sql));
}

const SQLITE_CONSTRAINT = 19;
const REFUSED = { rawCode: expect.toSatisfy((code: number) => (code & 0xff) === SQLITE_CONSTRAINT) };

describe('a legal row is stored', () => {
  test.each(Object.keys(SECOND) as Table[])('a second one in %s', async (table) => {
    const database = await openWithOneOfEach();
    await expect(insert(database, table, { ...LEGAL[table], ...SECOND[table] })).resolves.toBeDefined();
  });
});

describe('an illegal row is rejected', () => {
  test.each<[state: string, table: Table, change: Values]>([
    ['a username that differs only in case', 'users', { username: 'ANN', username_key: 'ann' }],
    ['a user with an unknown role', 'users', { role: 'root' }],
    ['a network without an owner', 'networks', { owner_id: 'nobody' }],
    ['a network open to the public', 'networks', { visibility: 'public' }],
    ['a network with a member limit of 0', 'networks', { max_members: 0 }],
    ['a network for too many', 'networks', { max_members: 1_001 }],
    ['a member with an unknown role', 'members', { user_id: 'u2', role: 'guest' }],
    ['a member of no network', 'members', { network_id: 'nowhere' }],
    ['a member who is not a user', 'members', { user_id: 'nobody', role: 'member' }],
    ['the same member twice', 'members', { role: 'member' }],
    ['a second owner', 'members', { user_id: 'u2' }],
    ['a network token without a network', 'tokens', { network_id: null }],
    ['a user token with a network', 'tokens', { kind: 'user' }],
    ['a token of another kind', 'tokens', { kind: 'magic' }],
    ['one token twice', 'tokens', { token_hash: 'h1' }],
    ['a token without a user', 'tokens', { user_id: 'nobody' }],
    ['a session with an unknown status', 'sessions', { status: 'asleep' }],
    ['two sessions of one alias', 'sessions', { alias: 'bob' }],
    ['two sessions of one resume_id', 'sessions', { resume_id: 'r1' }],
    ['a session of no network', 'sessions', { network_seq: 9 }],
    ['progress above 100', 'sessions', { progress: 100.5 }],
    ['progress below 0', 'sessions', { progress: -1 }],
    ['a score of a session above 10', 'sessions', { score: 11 }],
    ['a score of a session below 1', 'sessions', { score: 0.5 }],
    ['a session half marked offline', 'sessions', { marked_offline: 2 }],
    ['a task with an unknown status', 'tasks', { status: 'acked' }],
    ['a task with an unknown priority', 'tasks', { priority: 'urgent' }],
    ['a delivered task that was started', 'tasks', { started_at: 1 }],
    ['a delivered task that is complete', 'tasks', { completed_at: 1 }],
    ['a running task that never started', 'tasks', { status: 'running' }],
    ['a running task that is complete', 'tasks', { status: 'running', started_at: 1, completed_at: 2 }],
    ['a replied task that is not complete', 'tasks', { status: 'replied', started_at: 1 }],
    ['a failed task that is not complete', 'tasks', { status: 'failed' }],
    ['a cancelled task that is not complete', 'tasks', { status: 'cancelled' }],
    ['an expired task that is not complete', 'tasks', { status: 'expired' }],
    ['attempt 0', 'tasks', { attempt: 0 }],
    ['half an attempt', 'tasks', { attempt: 1.5 }],
    ['no time to live', 'tasks', { ttl_seconds: 0 }],
    ['too long to live', 'tasks', { ttl_seconds: 86_401 }],
    ['one task_id twice', 'tasks', { task_id: 't1' }],
    ['a task of an unknown network', 'tasks', { network_seq: null }],
    ['a message of no network', 'messages', { network_seq: 9 }],
    ['an inbox of no network', 'inboxes', { network_seq: 9 }],
    ['an event of an unknown network', 'events', { network_seq: null }],
    ['a task without content', 'tasks', { content: null }],
    ['a timestamp that is text', 'tasks', { created_at: '2026-01-15 12:00:00' }],
    ['a message with an unknown type', 'messages', { type: 'shout' }],
    ['a message with an unknown priority', 'messages', { priority: 'urgent' }],
    ['a message with an unknown outcome', 'messages', { status: 'delivered' }],
    ['the message of a task without its task', 'messages', { ...ATTEMPT, task_seq: null }],
    ['the message of a task without its attempt', 'messages', { ...ATTEMPT, task_seq: 2, attempt: null }],
    ['a message about an unknown task', 'messages', { task_seq: 9 }],
    ['a task message with a separate text', 'messages', { ...ATTEMPT, task_seq: 2, content: 'x' }],
    ['a message without a text', 'messages', { content: null }],
    ['a message without a sender', 'messages', { from_session: null }],
    ['a message without an id', 'messages', { id: null }],
    ['a message of an unknown broadcast', 'messages', { type: 'broadcast', content: null, broadcast_seq: 9 }],
    ['a second live message of one task', 'messages', { ...ATTEMPT, attempt: 2 }],
    ['one message id twice', 'messages', { id: 'm1' }],
    ['a score of a completion above 10', 'completions', { score: 10.1 }],
    ['a score of a completion below 0', 'completions', { score: -0.1 }],
    ['an event of no task', 'task_events', { task_seq: 9 }],
    [
      'a notice to an assignee for a transition other than a send',
      'task_events',
      { from_status: 'failed', alias: 'bob' },
    ],
    ['an event without a message and without data', 'events', { data: null }],
    ['an event with a message and a copy of it', 'events', { message_seq: 1 }],
    ['a transition without a new status', 'task_events', { from_status: 'running', to_status: null }],
    ['a stream event with an unknown name', 'events', { name: 'heartbeat' }],
    ['an audit entry without an action', 'audit_log', { action: null }],
  ])('%s', async (_, table, change) => {
    const database = await openWithOneOfEach();
    await insert(database, 'users', { ...LEGAL.users, ...SECOND.users });
    const legal = { ...LEGAL[table], ...(table === 'users' ? { user_id: 'u3', username_key: 'cat' } : SECOND[table]) };
    await expect(insert(database, table, { ...legal, ...change })).rejects.toMatchObject(REFUSED);
    expect(database.fatal).toEqual([]);
  });
});

test.each<[string, Values]>([
  ['withdrawn message', { ...ATTEMPT, id: null, withdrawn_at: 2 }],
  ['reply', { id: 'r', type: 'reply', task_seq: 1, attempt: 1 }],
  ['cancel notice', { id: 'c', type: 'cancel', task_seq: 1, attempt: 1 }],
])('one attempt has only one %s', async (_, change) => {
  const database = await openWithOneOfEach();
  const first = { ...LEGAL.messages, ...SECOND.messages, ...change };
  await insert(database, 'messages', first);
  await expect(insert(database, 'messages', { ...first, id: 'another' })).rejects.toMatchObject(REFUSED);
});

describe('an illegal update is rejected', () => {
  test.each([
    ['a task that ends without a timestamp', "UPDATE tasks SET status = 'replied'"],
    ['a running task without a start time', "UPDATE tasks SET status = 'running'"],
    ['an inbox with a negative count', 'UPDATE inboxes SET pending = -1'],
    ['a second hub row', "INSERT INTO hub (only_row, epoch) VALUES (2, 'x')"],
    ['removing a user who owns a network', "DELETE FROM users WHERE user_id = 'u1'"],
    ['text in a number column', "UPDATE sessions SET last_seen_at = 'today'"],
  ])('%s', async (_, sql) => {
    const database = await openWithOneOfEach();
    await expect(run(database, sql)).rejects.toMatchObject(REFUSED);
  });

  test('but the legal one is accepted', async () => {
    const database = await openWithOneOfEach();
    await expect(run(database, "UPDATE tasks SET status = 'replied', completed_at = 2")).resolves.toMatchObject({
      changes: 1,
    });
  });
});

test('the other rows of a network are deleted with it', async () => {
  const database = await openWithOneOfEach();
  await run(database, "DELETE FROM networks WHERE network_id = 'n1'");
  const left = await database.read(async (reader) => {
    // Tasks and their events are deleted before the network; see network-removal.test.ts.
    const tables = ['members', 'tokens', 'sessions', 'messages', 'inboxes', 'completions'];
    const counts = tables
      .map((table) => `SELECT '${table}' AS name, count(*) AS count FROM ${table}`)
      .join(' UNION ALL ');
    return reader.all<{ name: string; count: number }>(counts);
  });
  expect(left.filter(({ count }) => count > 0)).toEqual([]);
});
