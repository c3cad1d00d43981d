// Every statement of the store uses an index: a growing table is never scanned, and a page is never sorted from a whole
// list. Each statement also declares exactly what it changes in the memory of a write group.
import { basename, join } from 'node:path';
import { createClient, type Client as FileClient } from '@libsql/client';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import type { Caller } from '../../server/domain/accounts/caller.ts';
import type { Task } from '../../server/domain/task.ts';
import { SESSIONS_OF_AGENT } from '../../server/events/hook-sessions.ts';
import { ROUTES } from '../../server/http/routes.ts';
import { TOOLS } from '../../server/mcp/tools.ts';
import { login } from '../../server/operations/accounts/login.ts';
import { me } from '../../server/operations/accounts/me.ts';
import { register } from '../../server/operations/accounts/register.ts';
import { ackInbox } from '../../server/operations/agents/ack-inbox.ts';
import { clientHook } from '../../server/operations/agents/client-hook.ts';
import { getInbox } from '../../server/operations/agents/get-inbox.ts';
import { reportCompletion } from '../../server/operations/agents/report-completion.ts';
import { broadcast } from '../../server/operations/messages/broadcast.ts';
import { listMessages } from '../../server/operations/messages/list-messages.ts';
import { sendMessage } from '../../server/operations/messages/send-message.ts';
import { sendReply } from '../../server/operations/messages/send-reply.ts';
import { createNotifier } from '../../server/operations/notifiers/create-notifier.ts';
import { startDeliveries } from '../../server/operations/notifiers/deliver.ts';
import { noticeNeeds, noticeWaitingTasks } from '../../server/operations/notifiers/notice-needs.ts';
import { noticeStuckAgents } from '../../server/operations/notifiers/notice-stuck-agents.ts';
import { followEvents } from '../../server/operations/records/follow-events.ts';
import { getFigures } from '../../server/operations/records/get-figures.ts';
import { getStats } from '../../server/operations/records/get-stats.ts';
import { getThroughput } from '../../server/operations/records/get-throughput.ts';
import { listTaskEvents } from '../../server/operations/records/list-task-events.ts';
import { removeOld } from '../../server/operations/retention.ts';
import { getAllStatus, listSessions } from '../../server/operations/sessions/get-all-status.ts';
import { cancelTask } from '../../server/operations/tasks/cancel-task.ts';
import { getTask } from '../../server/operations/tasks/get-task.ts';
import { listTasks, queryTasks } from '../../server/operations/tasks/list-tasks.ts';
import { reassignTask } from '../../server/operations/tasks/reassign-task.ts';
import { retryTask } from '../../server/operations/tasks/retry-task.ts';
import { sendAck } from '../../server/operations/tasks/send-ack.ts';
import { showTask } from '../../server/operations/tasks/show-task.ts';
import { identify } from '../../server/operations/tokens/identify.ts';
import { flushWriteBehind } from '../../server/operations/write-behind.ts';
import * as broadcasts from '../../server/store/broadcasts.ts';
import { markRemoved } from '../../server/store/bulk/network-removal.ts';
import * as readdress from '../../server/store/bulk/readdress.ts';
import * as dueTasks from '../../server/store/due-tasks.ts';
import type { Database } from '../../server/store/engine/database.ts';
import { numbered } from '../../server/store/engine/postgres/connection/statements.ts';
import { type Sql, textFor } from '../../server/store/engine/sql.ts';
import type { Reader, SqlValue, Touch, Transaction } from '../../server/store/engine/transaction.ts';
import * as events from '../../server/store/events.ts';
import { migrate } from '../../server/store/file/migrate.ts';
import { giveBack } from '../../server/store/free-space.ts';
import * as idempotency from '../../server/store/idempotency.ts';
import * as invites from '../../server/store/invites.ts';
import { listMissed } from '../../server/store/lists/replay.ts';
import * as sessionsByAlias from '../../server/store/lists/sessions-by-alias.ts';
import * as members from '../../server/store/members.ts';
import * as messages from '../../server/store/messages.ts';
import * as networks from '../../server/store/networks.ts';
import * as sessions from '../../server/store/sessions.ts';
import * as tasks from '../../server/store/tasks.ts';
import * as tokens from '../../server/store/tokens.ts';
import * as users from '../../server/store/users.ts';
import * as wholeHub from '../../server/store/whole-hub.ts';
import { shrink } from '../../server/sweeps/shrink.ts';
import {
  expire,
  measureNetworks,
  pruneDeliveries,
  pruneEvents,
  pruneToldSessions,
  removeNetworks,
} from '../../server/sweeps/sweeps.ts';
import { writeHeartbeats } from '../../server/sweeps/write-heartbeats.ts';
import { as, type Fixture, openFixture, outcomeOf, report, send } from '../support/fixture.ts';
import { sourceFiles } from '../support/source-files.ts';
import { createPostgres, SERVER } from '../support/store/postgres.ts';
import { membersOf, sampleOf, valueOf } from '../support/store/schema-members.ts';
import { temporaryDirectory } from '../support/test-hub.ts';

type Noted = {
  sql: string;
  onPostgres: string;
  args: readonly SqlValue[];
  touches: readonly Touch[];
  mayWrite: boolean;
  site: string;
};
type Statements = Map<string, Noted>;

/** The line of the store that issues a statement, such as `tasks.ts:139`. */
function siteOf(stack = ''): string {
  return /server\/store\/(\w[\w-]*\.ts:\d+)/.exec(stack)?.[1] ?? '';
}

/** The same store, which also records every statement, one set of its values and what it declares to touch. */
function noting(store: Database, statements: Statements): Database {
  const note = (written: Sql, args: readonly SqlValue[], touches: readonly Touch[], mayWrite: boolean): void => {
    const [site, sql] = [siteOf(new Error().stack), textFor('libsql', written)];
    const onPostgres = numbered(textFor('postgres', written));
    statements.set(`${site} ${sql}`, { sql, onPostgres, args, touches, mayWrite, site });
  };
  const bestEffort = (reader: Reader): Reader => ({
    ...reader,
    all: (sql, args = [], ...touches) => {
      note(sql, args, touches, false);
      return reader.all(sql, args, ...touches);
    },
    first: (sql, args = [], ...touches) => {
      note(sql, args, touches, false);
      return reader.first(sql, args, ...touches);
    },
  });
  const notedWriter = (tx: Transaction): Transaction => ({
    ...tx,
    ...bestEffort(tx),
    run: (sql, args = [], ...touches) => {
      note(sql, args, touches, true);
      return tx.run(sql, args, ...touches);
    },
    insert: (sql, args) => {
      note(sql, args, [], true);
      return tx.insert(sql, args);
    },
    returning: (sql, args = [], ...touches) => {
      note(sql, args, touches, true);
      return tx.returning(sql, args, ...touches);
    },
  });
  return {
    ...store,
    read: (work) => store.read((reader) => work(bestEffort(reader))),
    write: (work) => store.write((tx) => work(notedWriter(tx))),
  };
}

/** Every action of the hub, so that every statement is issued at least once. */
async function doEverything(fixture: Fixture): Promise<void> {
  const { hub, caller, ask } = fixture;
  const visitor = { ip: '127.0.0.1' };
  const anonymous = as(fixture, visitor);
  const { token, network_token } = await anonymous.ask(register, { username: 'ann', password: 'secret' });
  await anonymous.ask(login, { username: 'ann', password: 'secret' });
  await identify(hub, network_token, visitor.ip);
  const user = await identify(hub, token, visitor.ip);
  if (user === undefined) throw new Error('the token of the new user is not known');
  await as(fixture, user).ask(me, {});
  await report(fixture, 'bob');
  await send(fixture, { from_session: 'bob' });
  await report(fixture, 'carol', { resume_id: 'bob-1' });
  await report(fixture, 'bob', { status: 'working', task: await send(fixture) });
  await ask(reportCompletion, { alias: 'bob', task: 'build it', result: 'built' });
  await ask(clientHook, { client: 'codex', alias: 'bob', hook_event_name: 'Stop', session_id: 'c-1' });
  await tellSessions(fixture);
  for (const limit of [1, 50]) await ask(getInbox, { alias: 'bob', limit });
  const { message_id } = await ask(sendMessage, { alias: 'bob', message: 'hello' });
  await ask(ackInbox, { alias: 'bob', message_id });
  await ask(broadcast, { content: 'all' });
  const task_id = await send(fixture, { task: 'second' });
  await ask(sendAck, { task_id });
  await ask(reassignTask, { task_id, new_alias: 'carol' });
  await ask(cancelTask, { task_id });
  await ask(retryTask, { task_id });
  await ask(sendReply, { alias: 'alice', text: 'done', in_reply_to: task_id, from_session: 'carol' });
  await ask(sendReply, { alias: 'alice', text: 'noted', in_reply_to: message_id });
  await ask(getTask, { task_id });
  await ask(showTask, { task_id });
  await ask(listTaskEvents, { task_id });
  await ask(listTaskEvents, {});
  await ask(getThroughput, {});
  for (const alias of [undefined, 'bob']) await ask(getFigures, { alias, hours: 24 });
  for (const filter of [{}, { status: 'replied' }, { alias: 'bob' }, { from_name: 'alice' }, { cursor: '2' }])
    await ask(listTasks, filter);
  await as(fixture, { memberships: [...caller.memberships, ...user.memberships], token_kind: 'user' }).ask(queryTasks, {
    to_name: 'bob',
    status: 'failed',
  });
  for (const filter of [{}, { status: 'delivered' }])
    await ask(queryTasks, { ...filter, order: 'oldest', cursor: '1', with_total: 'true' });
  for (const pending of ['true', 'false']) await ask(listMessages, { alias: 'bob', pending });
  await as(fixture, { token_kind: 'user', system_role: 'admin' }).ask(getStats, { scope: 'hub' });
  await as(fixture, { token_kind: 'user', memberships: [] }).ask(getStats, {});
  for (const filter of [{}, { filter_status: 'idle' }, { filter_server: 'a' }]) {
    await ask(getAllStatus, filter);
    await ask(getAllStatus, { filter_status: 'idle', ...filter });
  }
  await ask(listSessions, { status: 'offline' });
  for (const topic of [{}, { alias: 'bob' }]) await follow(fixture, topic);
  await callEverything(fixture, user);
  await notifyOfEverything(as(fixture, { ...user, network_id: user.memberships[0]?.network_id ?? '' }));
  await useUpQuotas(fixture);
  await sweepEverything(fixture);
}

const SAMPLES: Readonly<Record<string, string>> = {
  cursor: '9',
  created_after: '2020-01-01 00:00:00',
  created_before: '2040-01-01 00:00:00',
  with_total: 'true',
  outline: 'true',
  quiet_from: '22:00',
  quiet_until: '07:00',
  time_zone: 'Europe/Berlin',
};

/** Every operation, with only the required members and with each optional one: so each filter of each list. */
async function callEverything(fixture: Fixture, owner: Caller): Promise<void> {
  const network_id = owner.memberships[0]?.network_id ?? '';
  for (const system_role of ['user', 'admin'] as const) {
    const anonymous = as(fixture, { ...owner, system_role, network_id });
    for (const operation of new Set([
      ...ROUTES.map(([, , routed]) => routed),
      ...TOOLS.map((tool) => tool.operation),
    ])) {
      if (operation.name === 'delete_network') continue;
      const optional = membersOf(operation).filter(({ isRequired }) => !isRequired);
      const alternatives = optional.map((member) => ({ [member.name]: SAMPLES[member.name] ?? valueOf(member) }));
      for (const more of [{}, ...alternatives])
        await outcomeOf(anonymous.ask(operation, { ...sampleOf(operation), ...more, network_id }));
    }
  }
}

/** The statements that find needs, queue deliveries and send them, to a receiver that accepts all or none. */
async function notifyOfEverything(fixture: Fixture): Promise<void> {
  const { hub, ask } = fixture;
  await ask(createNotifier, { format: 'webhook', url: 'https://hooks.example.org/agents', rate_limit: 1 });
  for (const problem of ['status', null] as const) {
    const notified = { ...hub, outgoing: { ...hub.outgoing, post: async () => ({ status: 500, problem }) } };
    for (const status of ['error', 'idle', 'blocked']) {
      await report(fixture, 'stuck', { status });
      await noticeNeeds(notified);
      await Promise.all(await startDeliveries(notified));
    }
    hub.clock.advance(3_600_000);
    await noticeWaitingTasks(notified);
  }
  for (const isStuck of [true, false]) {
    await report(fixture, 'slow', { status: isStuck ? 'working' : 'idle' });
    hub.clock.advance(480_000);
    await report(fixture, 'slow', { status: isStuck ? 'working' : 'idle' });
    hub.clock.advance(240_000);
    await noticeStuckAgents(hub);
  }
  await ask(createNotifier, {
    format: 'webhook',
    url: 'https://hooks.example.org/agents',
    quiet_from: '00:00',
    quiet_until: '23:59',
  });
  await pruneDeliveries(hub);
  await pruneToldSessions(hub);
}

/** Each of them is told about mail by its first event; the second one shows that it was passed on. */
async function tellSessions({ hub, ask }: Fixture): Promise<void> {
  for (let session = 0; session <= SESSIONS_OF_AGENT; session++) {
    const event = {
      client: 'claude-code',
      alias: 'bob',
      hook_event_name: 'PostToolUse',
      session_id: `told-${session}`,
    };
    for (const _ of ['mention', 'confirmation']) await ask(clientHook, event);
  }
  await hub.store.write(async () => {});
}

async function follow(fixture: Fixture, topic: object): Promise<void> {
  const following = await fixture.ask(followEvents, topic);
  await following.follow({
    send: () => true,
    sentAll: () => {},
    drained: async () => {},
    missed: () => {},
    caughtUp: () => {},
    broken: () => {},
  });
  following.end();
}

/** The statements that make room within a quota, and those that measure usage. */
async function useUpQuotas(fixture: Fixture): Promise<void> {
  const settings = { ...fixture.hub.settings, max_tokens: 1, max_sessions: 1, max_network_bytes: 1 };
  const strict = as({ ...fixture, hub: { ...fixture.hub, settings } }, {});
  await report(fixture, 'gone', { status: 'offline' });
  await outcomeOf(report(strict, 'new'));
  await as(strict, { ip: '127.0.0.1' }).ask(login, { username: 'ann', password: 'secret' });
  await measureNetworks(strict.hub);
}

async function sweepEverything(fixture: Fixture): Promise<void> {
  await report(fixture, 'bob');
  await fixture.ask(sendAck, { task_id: await send(fixture, { task: 'third' }) });
  await send(fixture, { task: 'fourth' });
  fixture.hub.writeBehind.notified('msg_1', fixture.hub.clock.now());
  fixture.hub.clock.advance(2 * 86_400_000);
  for (const sweep of [writeHeartbeats, flushWriteBehind, expire, pruneEvents]) await sweep(fixture.hub);
  for (const dryRun of [true, false])
    await removeOld(
      fixture.hub,
      { keep_events_hours: 1, keep_messages_days: 1, keep_tasks_days: 1, keep_audit_days: 1 },
      { dryRun },
    );
  await callTheRest(fixture);
  await fixture.hub.store.write((tx) => markRemoved(tx, fixture.caller.network_id));
  await removeNetworks(fixture.hub);
  await shrink(fixture.hub);
  await fixture.hub.store.write(giveBack);
}

/** Statements not reached above: the CLI's operations, and those that need many rows or a long time. */
async function callTheRest({ hub, caller: { network_id, user_id, token_id } }: Fixture): Promise<void> {
  const rename = { network_id, from: 'bob', to: 'dan' };
  const audience = { networkId: network_id, senders: ['bob', 'bob'], maxPending: 9 } as const;
  const presence = { cutoff: hub.clock.now(), sparedBefore: 0 };
  const page = { networks: [network_id], limit: 10, rows: 10 };
  const replayed = { limit: 10, characters: 1_000, rows: 10 };
  const rest: readonly ((tx: Transaction, task: Task) => Promise<unknown>)[] = [
    (tx, task) =>
      events.append(tx, [
        { move: { task, from_status: null, actor: 'ann', detail: null } },
        {
          event: {
            network_id,
            alias: null,
            data: { type: 'broadcast', from: 'ann', content: 'all', message_id: 'msg_1' },
          },
        },
      ]),
    (tx) => broadcasts.findUnfinished(tx, 1),
    (tx) => broadcasts.listUnfinished(tx, 0),
    (tx) => broadcasts.setReached(tx, 1, null),
    (tx) => idempotency.removeBefore(tx, 0, 1),
    (tx) => invites.countOpen(tx, network_id, 1),
    (tx) => invites.removeClosed(tx, network_id),
    (tx) => invites.use(tx, 'inv_1'),
    (tx) => members.markRole(tx, network_id, user_id, 'owner'),
    (tx) => members.remove(tx, network_id, 'usr_none'),
    (tx, { task_seq }) => messages.wasAssigned(tx, task_seq, 'bob'),
    (tx) => networks.findByName(tx, 'home'),
    (tx) => networks.getOverview(tx, network_id),
    (tx) => networks.listOwned(tx, user_id),
    (tx) => networks.markOwner(tx, { network_id, owner_id: user_id }, user_id),
    (tx) => networks.markTrialEnd(tx, network_id, null),
    (tx) => tasks.countSlice(tx, { priority: 'high' }, page),
    (tx, task) => tasks.countAhead(tx, task),
    (tx) => dueTasks.list(tx, network_id, 10),
    (tx, { task_seq }) => dueTasks.markExpired(tx, [task_seq]),
    (tx, { task_seq }) => dueTasks.markOvertime(tx, [task_seq]),
    (tx) => readdress.findTarget(tx, { network_id, resume_id: 'bob-1' }),
    (tx) => readdress.listMoving(tx),
    (tx) => readdress.setMoving(tx, { network_id, resume_id: 'bob-1' }, null),
    (tx) => readdress.readdressMessages(tx, rename, 0, 1_000),
    (tx) => broadcasts.countSlice(tx, audience, broadcasts.COUNT_START, 9),
    (tx) => sessions.countOnline(tx, network_id),
    (tx) => broadcasts.listCandidates(tx, audience, 'ann', 9),
    (tx) => listMissed(tx, { networks: [network_id], alias: undefined, after: 0, ...replayed }),
    (tx) => sessionsByAlias.listAliases(tx, network_id, 'a', 10),
    (tx) => sessions.listSilent(tx, network_id, presence, 10),
    (tx) => sessions.markOffline(tx, network_id, ['bob'], 600_000),
    (tx) => tokens.findEnd(tx, token_id),
    (tx) => tokens.findOverview(tx, token_id),
    (tx) => tokens.countLive(tx, user_id),
    (tx) => tokens.removeSignIns(tx, user_id),
    (tx) => tokens.removeOtherSignIns(tx, user_id, token_id),
    (tx) => users.getOverview(tx, user_id),
    (tx) => users.remove(tx, 'usr_none'),
    (tx) => users.isOtherAdmin(tx, user_id),
    (tx) => users.markPassword(tx, user_id, 'hash'),
    (tx) => users.markRole(tx, user_id, 'admin'),
    (tx) => users.markDisabled(tx, user_id, null),
    (tx) => wholeHub.accessVersion(tx),
    (tx) => wholeHub.countContents(tx),
    (tx) => wholeHub.renewEpoch(tx),
  ];
  for (const call of rest) {
    await hub.store.write(async (tx) => {
      const [task] = (await tasks.listSlice(tx, {}, page)).found;
      if (task === undefined) throw new Error('no sample task for the store');
      await call(tx, task);
    });
  }
}

// Allowed scans: unfinished broadcasts and renames, notifiers with a due request, tables with one row or read for one
// row, bound lists of values, and networks, which an operator can search. Everything else must use an index.
const MAY_BE_SCANNED =
  /^SCAN (b USING INDEX broadcasts_unfinished|s USING INDEX sessions_moving|notifiers USING INDEX notifiers_due_by_user)|^SCAN (CONSTANT ROW|\d+ CONSTANT ROWS|json_each|hub|sqlite_sequence|users|networks)\b|^SCAN (\(subquery|first_(delivered|running|agents)$)/;
// A command counts all rows of a hub that it has just installed and that is not in use yet.
const COUNTS_ALL = /^SELECT \(SELECT count\(\*\) FROM users\)/;

/** A separate connection to an empty database: a plan needs no rows, and the engine keeps a plan's statement open. */
async function openPlanner(): Promise<FileClient> {
  const file = join(temporaryDirectory(), 'plans.db');
  await migrate(file);
  const planner = createClient({ url: `file:${file}`, concurrency: 1 });
  onTestFinished(() => planner.close());
  return planner;
}

function isListOfValues(detail: string, sql: string): boolean {
  const [, name] = detail.split(' ');
  return new RegExp(`WITH ${name} \\([^)]*\\) AS \\(VALUES`).test(sql);
}

async function scansIn(planner: FileClient, sql: string, args: readonly SqlValue[]): Promise<string[]> {
  const { rows } = await planner.execute({ sql: `EXPLAIN QUERY PLAN ${sql}`, args: [...args] });
  const details = rows.map(({ detail }) => String(detail));
  if (!/^(INSERT|PRAGMA) /.test(sql)) expect(details, sql).not.toEqual([]); // an insert of values searches nothing
  return details.filter(
    (detail, at) => isScan(detail, sql) || isSortOfAll(detail, sql) || (at === 0 && isOfAll(detail, sql)),
  );
}

function isScan(detail: string, sql: string): boolean {
  return (
    detail.startsWith('SCAN ') &&
    !COUNTS_ALL.test(sql) &&
    !sql.includes('FROM pragma_') &&
    !MAY_BE_SCANNED.test(detail) &&
    !isListOfValues(detail, sql) &&
    !isFromItsEnd(sql)
  );
}

/** A read in row number order ends with the page. */
function isFromItsEnd(sql: string): boolean {
  return /FROM audit_log +ORDER BY entry_seq DESC LIMIT \?$/.test(sql);
}

/** A network has at most a thousand members, and a user a thousand tokens. */
function isSortOfAll(detail: string, sql: string): boolean {
  return /^USE TEMP B-TREE .*ORDER BY/.test(detail) && /\bLIMIT\b/.test(sql) && !/ FROM (members|tokens) /.test(sql);
}

/** A change that looks at each row of a network, to find a few of them. */
function isOfAll(detail: string, sql: string): boolean {
  return /^(DELETE|UPDATE) /.test(sql) && / IN \(/.test(sql) && detail.endsWith('(network_seq=?)');
}

/** Every statement of the store. */
async function issueAll(): Promise<Statements> {
  const statements: Statements = new Map();
  const fixture = await openFixture();
  const publicIds = { ...fixture.hub.publicIds, numberIn: () => 9, textIn: () => `${fixture.caller.network_id} bob` }; // any cursor works
  const hub = { ...fixture.hub, publicIds, store: noting(fixture.hub.store, statements) };
  await doEverything(as({ ...fixture, hub }, {}));
  return statements;
}

/** The lines of the store that issue statements, except those for the file of a stopped hub. */
function sites(): string[] {
  const files = sourceFiles('server/store').filter(
    ({ path }) => /^server\/store\/[\w-]+\.ts$/.test(path) && !path.endsWith('/counters.ts'),
  );
  return files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, index) =>
        /\b(tx|reader)\.(run|returning|all|first)[<(]/.test(line) ? [`${basename(path)}:${index + 1}`] : [],
      ),
  );
}

test('the test covers every statement', async () => {
  const issued = new Set([...(await issueAll()).values()].map(({ site }) => site));
  expect(sites().filter((site) => !issued.has(site))).toEqual([]);
  expect(issued.size).toBeGreaterThan(100);
});

test.skipIf(SERVER === undefined)('every statement is one of PostgreSQL, too', async () => {
  const client = new Client(await createPostgres());
  await client.connect();
  const wrong: Record<string, string> = {};
  const texts = new Set([...(await issueAll()).values()].map(({ onPostgres }) => onPostgres));
  for (const [at, text] of [...texts, 'SELECT 1 WHERE 1 IN ()'].entries())
    await client.query(`PREPARE s${at} AS ${text}`).catch(({ message }: Error) => void (wrong[text] = message));
  await client.end();
  expect(wrong).toEqual({
    'SELECT 1 WHERE 1 IN ()': 'syntax error at or near ")"',
    'PRAGMA incremental_vacuum(16)': expect.any(String), // of a file alone
  });
});

// PostgreSQL reads all rows of a range for `min` if the table was small when it was last analyzed, but never for LIMIT 1.
test('no statement takes the minimum or maximum of a range of a growing table', async () => {
  const texts = new Set([...(await issueAll()).values()].map(({ onPostgres }) => onPostgres));
  expect([...texts].filter((text) => EXTREME.test(text) && !BETWEEN.test(text))).toEqual([]);
  expect('SELECT (SELECT min(t.expires_at) FROM tasks t WHERE t.network_seq = $1) AS due').toMatch(EXTREME);
});

const EXTREME = /\b(min|max)\([\w.]+\)[^()]* FROM (tasks|messages|events|task_events|sessions)\b/;
const BETWEEN = /\bseq > \$\d+ AND seq <= \$/;

test('no statement scans a growing table', async () => {
  const planner = await openPlanner();
  const scans: Record<string, string[]> = {};
  for (const { sql, args } of (await issueAll()).values()) {
    const found = await scansIn(planner, sql, args);
    if (found.length > 0) scans[sql] = found;
  }
  expect(scans).toEqual({});
});

test.each([
  ["SELECT 1 FROM tasks t WHERE t.content = 'x'"],
  ['SELECT id FROM messages ORDER BY created_at'],
  ['SELECT count(*) FROM events'],
  ["UPDATE sessions SET task = NULL WHERE status = 'idle'"],
  ["DELETE FROM completions WHERE result = ''"],
  ['SELECT actor FROM audit_log WHERE ip = 1 ORDER BY entry_seq DESC LIMIT ?'],
  ['SELECT task_id FROM tasks WHERE network_seq = 1 ORDER BY created_at LIMIT 1'],
  ['DELETE FROM sessions WHERE network_seq = 1 AND session_seq IN (SELECT 2)'],
])('a scan would be detected: %s', async (sql) => {
  expect(await scansIn(await openPlanner(), sql, [])).not.toEqual([]);
});

type Tables = Record<'read' | 'written' | 'writtenByTrigger', ReadonlySet<string>>;

/**
 * The tables that the statement and its triggers open, from its compiled program: its own first, then those of each
 * trigger.
 */
async function tablesOf(planner: FileClient, sql: string, args: readonly SqlValue[]): Promise<Tables> {
  const { rows: roots } = await planner.execute('SELECT rootpage, tbl_name FROM sqlite_schema');
  const tableAt = new Map(roots.map(({ rootpage, tbl_name }) => [Number(rootpage), String(tbl_name)]));
  const { rows: code } = await planner.execute({ sql: `EXPLAIN ${sql}`, args: [...args] });
  const opened = (opcode: string, from = 0): Set<string> =>
    new Set(
      code
        .slice(from)
        .flatMap((step) => (step.opcode === opcode && step.p3 === 0 ? [tableAt.get(Number(step.p2)) ?? ''] : [])),
    );
  const ownEnd = code.findIndex(({ opcode }, index) => opcode === 'Init' && index > 0);
  return {
    read: opened('OpenRead'),
    written: opened('OpenWrite'),
    writtenByTrigger: opened('OpenWrite', ownEnd === -1 ? code.length : ownEnd),
  };
}

/** The number of a network is known from its creation to its removal. Its row is deleted later. */
const CHANGES_NETWORKS = /^(INSERT INTO networks|UPDATE networks SET removed_at)\b/;

async function touchesOf(planner: FileClient, sql: string, args: readonly SqlValue[]): Promise<Touch[]> {
  const { read, written, writtenByTrigger } = await tablesOf(planner, sql, args);
  const counters = (['inboxes', 'task_counts'] as const).filter((table) => read.has(table) || written.has(table));
  return [
    ...counters,
    ...(writtenByTrigger.has('hub') ? (['rights'] as const) : []),
    ...(CHANGES_NETWORKS.test(sql) ? (['networks'] as const) : []),
  ];
}

test('every statement declares what it touches, and only those that may write do', async () => {
  const planner = await openPlanner();
  const wrong: Record<string, unknown> = {};
  for (const { sql, args, touches, mayWrite } of (await issueAll()).values()) {
    const found = await touchesOf(planner, sql, args);
    const { written } = await tablesOf(planner, sql, args);
    if ([...touches].sort().join() !== found.sort().join()) wrong[sql] = { declared: touches, does: found };
    else if (!mayWrite && written.size > 0) wrong[sql] = { writes: [...written] };
  }
  expect(wrong).toEqual({});
});

test.each<[string, Touch[]]>([
  ["UPDATE tasks SET status = 'replied'", ['task_counts']],
  ["UPDATE tasks SET content = ''", []],
  ['UPDATE messages SET acked_at = 1', ['inboxes']],
  ['DELETE FROM messages', ['inboxes']],
  ['DELETE FROM tasks', ['inboxes', 'task_counts']],
  ['SELECT pending FROM inboxes', ['inboxes']],
  ['DELETE FROM tokens', ['rights']],
  ["UPDATE users SET role = 'admin'", ['rights']],
  ["UPDATE users SET display_name = ''", []],
  ['UPDATE networks SET removed_at = 1', ['networks']],
  ["UPDATE networks SET network_name = ''", []],
])('an undeclared table would be detected: %s', async (sql, touches) => {
  expect(await touchesOf(await openPlanner(), sql, [])).toEqual(touches);
});
