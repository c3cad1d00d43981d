// One busy tenant does not hold up others: neither by items expiring in its network nor by its queued work.
import { expect, test } from 'vitest';
import { newToken } from '../../server/domain/accounts/token.ts';
import { ackInbox } from '../../server/operations/agents/ack-inbox.ts';
import { getInbox } from '../../server/operations/agents/get-inbox.ts';
import { sendMessage } from '../../server/operations/messages/send-message.ts';
import { cancelTask } from '../../server/operations/tasks/cancel-task.ts';
import { listTasks } from '../../server/operations/tasks/list-tasks.ts';
import { sendAck } from '../../server/operations/tasks/send-ack.ts';
import { identify } from '../../server/operations/tokens/identify.ts';
import { expire } from '../../server/sweeps/sweeps.ts';
import { as, type Fixture, openFixture, outcomeOf, report, rowsOf, send } from '../support/fixture.ts';
import { foundNetwork } from '../support/test-hub.ts';

const MANY = 50_000;
const FEW_COMMITS = 3;

/** Two tenants of one hub. */
async function openTenants(): Promise<[Fixture, Fixture]> {
  const fixture = await openFixture();
  return [fixture, as(fixture, await foundNetwork(fixture.hub))];
}

/** Creates tasks in a network that all expire in a second, each with its message. */
async function storeDue(
  { hub, caller }: Fixture,
  count: number,
  status: 'delivered' | 'running' = 'delivered',
): Promise<void> {
  await hub.store.write(async (tx) => {
    const network = tx.networkSeq(caller.network_id);
    const numbers = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)';
    await tx.run(
      `${numbers} INSERT INTO tasks (task_id, network_seq, from_name, to_name, priority, status, content, ttl_seconds, created_at, delivered_at, started_at, expires_at)
       SELECT 'task_due_' || i, ?, 'alice', 'bob', 'normal', ?, 'x', 1, ?, ?, ?, ? FROM n`,
      [count, network, status, tx.now, tx.now, status === 'running' ? tx.now : null, tx.now + 1_000],
    );
    await tx.run(
      `INSERT INTO messages (network_seq, alias, type, priority, task_seq, attempt, created_at)
       SELECT network_seq, 'bob', 'task', 'normal', task_seq, 1, ? FROM tasks WHERE network_seq = ?`,
      [tx.now, network],
    );
    await tx.run('INSERT INTO inboxes (network_seq, alias, pending) VALUES (?, ?, ?)', [network, 'bob', count]);
  });
  hub.clock.advance(1_000);
}

/** The number of commits it took. */
async function commitsDuring({ hub }: Fixture, act: () => Promise<unknown>): Promise<number> {
  const count = (): number => hub.metrics.groups.counts.reduce((sum, groups) => sum + groups, 0);
  const before = count();
  await act();
  return count() - before;
}

test('expiry in one network does not block writes or reads of another', { timeout: 120_000 }, async () => {
  const [busy, other] = await openTenants();
  await storeDue(busy, MANY);
  const sweep = expire(busy.hub);
  const own = outcomeOf(busy.ask(cancelTask, { task_id: `task_due_${MANY}` }));
  expect(await commitsDuring(other, () => send(other))).toBeLessThanOrEqual(FEW_COMMITS);
  expect(await commitsDuring(other, () => other.ask(listTasks, {}))).toBeLessThanOrEqual(FEW_COMMITS);
  expect(await rowsOf(other, "SELECT count(*) > 10000 AS are_left FROM tasks WHERE status = 'delivered'")).toEqual([
    { are_left: 1 },
  ]);
  expect(await own).toBe('task is terminal'); // its own tenant waits until all are written
  expect(await sweep).toMatchObject({ tasks: MANY });
  expect(
    await rowsOf(
      busy,
      'SELECT pending FROM inboxes JOIN networks USING (network_seq) WHERE network_id = ?',
      busy.caller.network_id,
    ),
  ).toEqual([{ pending: 0 }]);
});

test('expiry in both networks is written in shared commits', async () => {
  const [busy, other] = await openTenants();
  const task_id = await send(other, { ttl_seconds: 1 });
  await storeDue(busy, 2_000);
  const own = outcomeOf(busy.ask(cancelTask, { task_id: 'task_due_2000' }));
  const commits = await commitsDuring(other, async () =>
    expect(await outcomeOf(other.ask(sendAck, { task_id }))).toBe('task is terminal'),
  );
  expect(commits).toBeLessThanOrEqual(FEW_COMMITS);
  expect(await own).toBe('task is terminal');
});

test('expiry in hundreds of networks at once is also written in batches', { timeout: 30_000 }, async () => {
  const fixture = await openFixture();
  const tenants: Fixture[] = [];
  for (let count = 0; count < 60; count++) tenants.push(as(fixture, await foundNetwork(fixture.hub)));
  await Promise.all(
    tenants.flatMap((tenant) =>
      Array.from({ length: 20 }, (_, index) => send(tenant, { task: `task ${index}`, ttl_seconds: 1 })),
    ),
  );
  fixture.hub.clock.advance(1_000);
  const commits = await commitsDuring(fixture, async () =>
    expect(await expire(fixture.hub)).toMatchObject({ tasks: 1_200 }),
  );
  expect(commits).toBeGreaterThan(1);
  expect(commits).toBeLessThanOrEqual(60); // not one for each network
  expect(await rowsOf(fixture, 'SELECT DISTINCT status FROM tasks')).toEqual([{ status: 'expired' }]);
});

test('running tasks past their ttl are checked once, and expire when their assignee goes offline', async () => {
  const [busy] = await openTenants();
  await report(busy, 'bob', { status: 'working' });
  await storeDue(busy, 1_000, 'running');
  expect(await expire(busy.hub)).toMatchObject({ tasks: 0 });
  expect(await rowsOf(busy, "SELECT count(*) AS skipped FROM tasks WHERE status = 'running' AND overtime = 1")).toEqual(
    [{ skipped: 1_000 }],
  );
  expect(await commitsDuring(busy, () => busy.ask(listTasks, {}))).toBe(0);
  await report(busy, 'bob', { status: 'offline' });
  expect((await busy.ask(listTasks, {})).stats).toEqual([{ status: 'expired', count: 1_000 }]);
});

test.each<[how: string, go: (fixture: Fixture) => Promise<unknown>]>([
  ['goes silent', async ({ hub }) => hub.clock.advance(600_001)],
  ['reports that it is offline', (fixture) => report(fixture, 'bob', { status: 'offline' })],
  [
    'takes an alias and then gives it up',
    async (fixture) => {
      await report(fixture, 'carol', { resume_id: 'bob-1' });
      await report(fixture, 'carol', { resume_id: 'bob-1', status: 'offline' });
    },
  ],
])('a skipped task expires once its assignee %s', async (_, go) => {
  const [fixture] = await openTenants();
  await report(fixture, 'bob');
  const task_id = await send(fixture, { ttl_seconds: 1 });
  await fixture.ask(sendAck, { task_id });
  fixture.hub.clock.advance(1_000);
  await expire(fixture.hub);
  expect((await fixture.ask(listTasks, {})).stats).toEqual([{ status: 'running', count: 1 }]);
  await go(fixture);
  expect((await fixture.ask(listTasks, {})).stats).toEqual([{ status: 'expired', count: 1 }]);
});

test('a tenant with thousands of queued writes delays those of another by one commit at most', async () => {
  const [busy, other] = await openTenants();
  const queued = Array.from({ length: 3_000 }, (_, index) => send(busy, { task: `task ${index}` }));
  expect(await commitsDuring(other, () => send(other))).toBeLessThanOrEqual(FEW_COMMITS);
  await Promise.all(queued);
  const tasks = await rowsOf(
    busy,
    'SELECT content FROM tasks JOIN networks USING (network_seq) WHERE network_id = ? ORDER BY task_seq',
    busy.caller.network_id,
  );
  expect(tasks.map(({ content }) => content)).toEqual(Array.from({ length: 3_000 }, (_, index) => `task ${index}`));
});

test('a tenant with thousands of queued reads delays those of another by one group at most', async () => {
  const [busy, other] = await openTenants();
  await send(busy);
  let done = 0;
  const queued = Array.from({ length: 3_000 }, () =>
    busy.ask(getInbox, { alias: 'nobody' }).finally(() => void (done += 1)),
  );
  await other.ask(listTasks, {});
  expect(done).toBeLessThanOrEqual(1_000);
  await Promise.all(queued);
  expect(await outcomeOf(busy.ask(ackInbox, { alias: 'nobody', message_id: 'none' }))).toBe(
    'message not found or not yours',
  );
});

test('a rename moves thousands of items in batches, publishes no texts and loses nothing', {
  timeout: 60_000,
}, async () => {
  const [busy, other] = await openTenants();
  const text = 'x'.repeat(9_000);
  for (const [alias, resume_id] of [
    ['bob', 'run-1'],
    ['alice', 'run-2'],
  ])
    await report(busy, String(alias), { resume_id });
  for (let sent = 0; sent < 1_000; sent += 100) {
    await Promise.all(
      Array.from({ length: 100 }, (_, index) => send(busy, { task: `${sent + index} ${text}`, context: text })),
    );
  }
  await Promise.all(
    Array.from({ length: 1_000 }, (_, index) => busy.ask(sendMessage, { alias: 'bob', message: `m${index}` })),
  );
  const before = await rowsOf(busy, 'SELECT coalesce(max(seq), 0) AS seq FROM events');
  const renamed = report(busy, 'carol', { resume_id: 'run-1' });
  expect(await commitsDuring(other, () => send(other))).toBeLessThanOrEqual(FEW_COMMITS);
  expect(await renamed).toMatchObject({ alias: 'carol', inbox_count: 2_000 });
  await report(busy, 'dora', { resume_id: 'run-2' });
  expect(
    await rowsOf(
      busy,
      "SELECT count(*) AS events, count(DISTINCT json_extract(data, '$.task_id')) AS tasks, max(length(data)) < 1000 AS are_short FROM events JOIN networks USING (network_seq) WHERE name = 'task' AND network_id = ? AND seq > ?",
      busy.caller.network_id,
      Number(before[0]?.['seq']),
    ),
  ).toEqual([{ events: 2_000, tasks: 1_000, are_short: 1 }]);
  expect(
    await rowsOf(
      busy,
      'SELECT DISTINCT from_name, to_name, length(content) > 9000 AS is_whole FROM tasks JOIN networks USING (network_seq) WHERE network_id = ?',
      busy.caller.network_id,
    ),
  ).toEqual([{ from_name: 'dora', to_name: 'carol', is_whole: 1 }]);
  expect(
    await rowsOf(
      busy,
      "SELECT alias, from_name, count(*) AS count FROM messages JOIN tasks USING (task_seq) JOIN networks n ON n.network_seq = tasks.network_seq WHERE n.network_id = ? AND type = 'task' GROUP BY 1, 2",
      busy.caller.network_id,
    ),
  ).toEqual([{ alias: 'carol', from_name: 'dora', count: 1_000 }]);
  expect(
    await rowsOf(
      busy,
      'SELECT alias, pending FROM inboxes JOIN networks USING (network_seq) WHERE network_id = ? AND pending > 0',
      busy.caller.network_id,
    ),
  ).toEqual([{ alias: 'carol', pending: 2_000 }]);
});

test('token lookups are queued per token, so that no caller waits for the lookups of others', async () => {
  const { hub } = await openFixture();
  const tenants = new Set<string | undefined>();
  const read: typeof hub.store.read = (work, scope) => {
    tenants.add(scope?.tenant);
    return hub.store.read(work, scope);
  };
  const watched = { ...hub, store: { ...hub.store, read } };
  for (const kind of ['user', 'network', 'network'] as const)
    await identify(watched, newToken(kind, hub.ids), '127.0.0.1');
  expect([tenants.size, tenants.has(undefined)]).toEqual([3, false]);
});
