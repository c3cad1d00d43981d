// Quotas per user, token, network and alias: exact under concurrency, named in the error, and off at 0.
import { describe, expect, test } from 'vitest';
import { FOR_STRANGERS, QUOTAS, type QuotaName } from '../../../server/domain/quotas.ts';
import { statusOf } from '../../../server/http/error-statuses.ts';
import { callTool } from '../../../server/mcp/call-tool.ts';
import { answerMcp } from '../../../server/mcp/endpoint.ts';
import { HUB_CATALOGUE } from '../../../server/mcp/hub-catalogue.ts';
import { login } from '../../../server/operations/accounts/login.ts';
import { ackInbox } from '../../../server/operations/agents/ack-inbox.ts';
import { clientHook } from '../../../server/operations/agents/client-hook.ts';
import { getInbox } from '../../../server/operations/agents/get-inbox.ts';
import { reportCompletion } from '../../../server/operations/agents/report-completion.ts';
import { reportStatus } from '../../../server/operations/agents/report-status.ts';
import { broadcast } from '../../../server/operations/messages/broadcast.ts';
import { sendMessage } from '../../../server/operations/messages/send-message.ts';
import { sendReply } from '../../../server/operations/messages/send-reply.ts';
import { createInvite } from '../../../server/operations/networks/create-invite.ts';
import { createNetwork } from '../../../server/operations/networks/create-network.ts';
import { joinNetwork } from '../../../server/operations/networks/join-network.ts';
import { removeMember } from '../../../server/operations/networks/remove-member.ts';
import { withdrawInvite } from '../../../server/operations/networks/withdraw-invite.ts';
import { perform } from '../../../server/operations/operation.ts';
import { removeOld } from '../../../server/operations/retention.ts';
import { getAllStatus } from '../../../server/operations/sessions/get-all-status.ts';
import { cancelTask } from '../../../server/operations/tasks/cancel-task.ts';
import { listTasks } from '../../../server/operations/tasks/list-tasks.ts';
import { reassignTask } from '../../../server/operations/tasks/reassign-task.ts';
import { retryTask } from '../../../server/operations/tasks/retry-task.ts';
import { sendTask } from '../../../server/operations/tasks/send-task.ts';
import { createToken } from '../../../server/operations/tokens/create-token.ts';
import { identify } from '../../../server/operations/tokens/identify.ts';
import { listTokens } from '../../../server/operations/tokens/list-tokens.ts';
import { revokeToken } from '../../../server/operations/tokens/revoke-token.ts';
import { recommendQuotas } from '../../../server/serve/banner.ts';
import { measureNetworks } from '../../../server/sweeps/sweeps.ts';
import { ask, PASSWORD, signUp, type User } from '../../api/tenancy/users.ts';
import { type Fixture, openFixture, outcomeOf, report, rowsOf, send } from '../../support/fixture.ts';
import { DEFAULT_SETTINGS, openTestHub, type TestHub } from '../../support/test-hub.ts';

const AT_ONCE = 200;
const DAY = 86_400_000;

const pruneNow = (hub: TestHub) => removeOld(hub, hub.settings, { dryRun: false });

/** The results of concurrent calls, counted by outcome. */
async function outcomesOf(act: (index: number) => Promise<unknown>): Promise<Record<string, number>> {
  const words = await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => outcomeOf(act(index))));
  return Object.fromEntries(
    Object.entries(Object.groupBy(words, (word) => word)).map(([word, all]) => [word, all?.length ?? 0]),
  );
}

async function openAccount(settings: Partial<Record<QuotaName, number>>): Promise<{ hub: TestHub; ada: User }> {
  const hub = await openTestHub(settings);
  return { hub, ada: await signUp(hub, 'ada') };
}

const TEN_OF_MANY = { ok: 10, quota_exceeded: AT_ONCE - 10 };

describe('200 concurrent calls on a quota of 10 get exactly 10', () => {
  test('networks of a user, one of them created by registration', async () => {
    const { hub, ada } = await openAccount({ max_networks: 11 });
    expect(await outcomesOf((index) => ask(hub, ada.utok, createNetwork, { name: `n${index}` }))).toEqual(TEN_OF_MANY);
  });

  test('tokens of a user', async () => {
    const { hub, ada } = await openAccount({ max_tokens: 12 });
    expect(await outcomesOf((index) => ask(hub, ada.utok, createToken, { name: `t${index}` }))).toEqual(TEN_OF_MANY);
  });

  test('open invites of a network', async () => {
    const { hub, ada } = await openAccount({ max_invites: 10 });
    expect(await outcomesOf(() => ask(hub, ada.utok, createInvite, { network_id: ada.network_id }))).toEqual(
      TEN_OF_MANY,
    );
  });

  test('sessions of a network that are online', async () => {
    const fixture = await openFixture({ max_sessions: 10 });
    expect(await outcomesOf((index) => report(fixture, `agent ${index}`))).toEqual(TEN_OF_MANY);
    expect(await rowsOf(fixture, 'SELECT sessions FROM session_counts')).toEqual([{ sessions: 10 }]);
  });

  test.each<[kind: string, act: (fixture: Fixture, index: number) => Promise<unknown>]>([
    ['tasks', (fixture, index) => fixture.ask(sendTask, { alias: 'bob', task: `t${index}` })],
    ['messages', (fixture, index) => fixture.ask(sendMessage, { alias: 'bob', message: `m${index}` })],
    ['replies to nothing', (fixture, index) => fixture.ask(sendReply, { alias: 'bob', text: `r${index}` })],
  ])('pending messages of an alias: %s', async (_, act) => {
    const fixture = await openFixture({ max_pending_messages: 10 });
    expect(await outcomesOf((index) => act(fixture, index))).toEqual(TEN_OF_MANY);
    expect(await rowsOf(fixture, 'SELECT pending FROM inboxes')).toEqual([{ pending: 10 }]);
  });
});

describe('an error', () => {
  test.each<[QuotaName, act: (hub: TestHub, ada: User) => Promise<unknown>]>([
    ['max_networks', (hub, ada) => ask(hub, ada.utok, createNetwork, { name: 'another' })],
    ['max_memberships', (hub, ada) => ask(hub, ada.utok, createNetwork, { name: 'another' })],
    ['max_tokens', (hub, ada) => ask(hub, ada.utok, createToken, { name: 'another' })],
    ['max_invites', (hub, ada) => ask(hub, ada.utok, createInvite, { network_id: ada.network_id })],
    [
      'max_pending_messages',
      (hub, ada) => ask(hub, ada.ntok, sendMessage, { alias: 'bob', message: crypto.randomUUID() }),
    ],
  ])(
    'of %s names the quota, its value and its setting, writes nothing and makes no group run twice',
    async (name, act) => {
      const { hub, ada } = await openAccount({ [name]: 1 });
      await outcomeOf(act(hub, ada));
      const others = Array.from({ length: 20 }, (_, index) =>
        ask(hub, ada.ntok, sendTask, { alias: `agent ${index}`, task: 'x' }),
      );
      await expect(act(hub, ada)).rejects.toMatchObject({
        code: 'quota_exceeded',
        message: expect.stringContaining(`1 ${QUOTAS[name].what}`),
      });
      await expect(act(hub, ada)).rejects.toThrow(name);
      await Promise.allSettled(others);
      expect(hub.metrics.repeatedGroups).toBe(0);
    },
  );

  test('has status 400, and over MCP the tool error of the same name', async () => {
    expect(statusOf('quota_exceeded')).toBe(400);
    const { hub, ada } = await openAccount({ max_pending_messages: 1 });
    await ask(hub, ada.ntok, sendMessage, { alias: 'bob', message: 'first' });
    expect(await overMcp(hub, ada, 'send_message', { alias: 'bob', message: 'second' })).toMatchObject({
      ok: false,
      error: 'quota_exceeded',
    });
  });

  test.each(Object.keys(QUOTAS))('never comes from %s at 0', async (name) => {
    const { hub, ada } = await openAccount({ [name]: 0 });
    for (const at of [1, 2]) {
      await ask(hub, ada.utok, createNetwork, { name: `n${at}` });
      await ask(hub, ada.utok, createToken, { name: `t${at}` });
      await ask(hub, ada.utok, createInvite, { network_id: ada.network_id });
      await ask(hub, ada.ntok, sendMessage, { alias: 'bob', message: `m${at}` });
      await ask(hub, ada.ntok, broadcast, { content: `b${at}` });
    }
  });
});

async function overMcp(hub: TestHub, { ntok }: User, name: string, args: object): Promise<object> {
  const caller = await identify(hub, ntok, '127.0.0.1');
  if (caller === undefined) throw new Error('the token is not known');
  const response = await callTool({
    hub,
    catalogue: HUB_CATALOGUE,
    caller,
    id: 1,
    headers: {},
    era: 'legacy',
    params: { name, arguments: args },
  });
  const result = typeof response === 'object' && 'error' in response ? response.text : String(response);
  return JSON.parse(JSON.parse(result).content[0].text);
}

test('an exhausted, expired or revoked invite is not open', async () => {
  const { hub, ada } = await openAccount({ max_invites: 1 });
  const invite = () => ask(hub, ada.utok, createInvite, { network_id: ada.network_id, expires_in_days: 1 });
  const { invite_id } = await invite();
  expect(await outcomeOf(invite())).toBe('quota_exceeded');
  await ask(hub, ada.utok, withdrawInvite, { network_id: ada.network_id, invite_id });
  const { invite_code } = await invite();
  await ask(hub, (await signUp(hub, 'bea')).utok, joinNetwork, { invite_code });
  await invite();
  expect(await outcomeOf(invite())).toBe('quota_exceeded');
  hub.clock.advance(DAY);
  expect(await outcomeOf(invite())).toBe('ok');
});

describe('tokens', () => {
  test('make room when they expire', async () => {
    const { hub, ada } = await openAccount({ max_tokens: 3 });
    await ask(hub, ada.utok, createToken, { name: 'short', expires_in_days: 1 });
    expect(await outcomeOf(ask(hub, ada.utok, createToken, { name: 'more' }))).toBe('quota_exceeded');
    hub.clock.advance(DAY);
    expect(await outcomeOf(ask(hub, ada.utok, createToken, { name: 'more' }))).toBe('ok');
    expect((await ask(hub, ada.utok, listTokens, {})).tokens.map(({ name }) => name)).not.toContain('short');
  });

  test('never block a sign-in: the least recently used sign-in is removed and its connections end', async () => {
    const { hub, ada } = await openAccount({ max_tokens: 3 });
    const signIn = async () => {
      hub.clock.advance(60_000);
      return (await perform(login, hub, { ip: '127.0.0.1' }, { username: 'ada', password: PASSWORD })).token;
    };
    const ended: string[] = [];
    const announce = hub.revocations.announce;
    hub.revocations.announce = (revoked) => {
      ended.push(...('token_id' in revoked ? [String(revoked.token_id)] : []));
      return announce(revoked);
    };
    const first = await signIn();
    const second = await signIn();
    expect(await identify(hub, ada.utok, '127.0.0.1')).toBeUndefined(); // from the registration
    expect(ended).toHaveLength(1);
    await signIn();
    expect(await identify(hub, first, '127.0.0.1')).toBeUndefined();
    expect(await identify(hub, second, '127.0.0.1')).toBeDefined();
    expect(await identify(hub, ada.ntok, '127.0.0.1')).toBeDefined();
  });

  test('of the network alone leave room for one sign-in', async () => {
    const { hub, ada } = await openAccount({ max_tokens: 1 });
    await hub.store.write((tx) => tx.run("DELETE FROM tokens WHERE kind = 'user'", [], 'rights'));
    for (let times = 0; times < 3; times++)
      await perform(login, hub, { ip: '127.0.0.1' }, { username: 'ada', password: PASSWORD });
    expect(await rowsOf({ hub }, 'SELECT kind, count(*) AS count FROM tokens GROUP BY kind ORDER BY kind')).toEqual([
      { kind: 'network', count: 1 },
      { kind: 'user', count: 1 },
    ]);
    expect(ada.ntok).toBeDefined();
  });

  test('never block joining, and joining ends no sign-in, because one token per network is exempt from the quota', async () => {
    const { hub, ada } = await openAccount({ max_tokens: 2 });
    const bea = await signUp(hub, 'bea');
    const join = async () => {
      const { invite_code } = await ask(hub, ada.utok, createInvite, { network_id: ada.network_id });
      return ask(hub, bea.utok, joinNetwork, { invite_code });
    };
    const { network_token } = await join();
    expect(await identify(hub, network_token, '127.0.0.1')).toBeDefined();
    expect(await identify(hub, bea.utok, '127.0.0.1')).toBeDefined();
    expect(await outcomeOf(ask(hub, bea.utok, createToken, { name: 'more', network_id: ada.network_id }))).toBe(
      'quota_exceeded',
    );
    const { user_id } = (await identify(hub, bea.utok, '127.0.0.1')) ?? {};
    for (let times = 0; times < 3; times++) {
      await ask(hub, bea.utok, removeMember, { network_id: ada.network_id, user_id });
      await join();
    }
    expect((await ask(hub, bea.utok, listTokens, {})).tokens).toHaveLength(3);
  });
});

test('a user joins no more networks than max_memberships, and another after leaving one', async () => {
  const hub = await openTestHub({ max_memberships: 3 });
  const bea = await signUp(hub, 'bea');
  const { user_id } = (await identify(hub, bea.utok, '127.0.0.1')) ?? {};
  const owners = await Promise.all(['ada', 'cat', 'dan'].map((name) => signUp(hub, name)));
  const join = async ({ utok, network_id }: User) => {
    const { invite_code } = await ask(hub, utok, createInvite, { network_id });
    return outcomeOf(ask(hub, bea.utok, joinNetwork, { invite_code }));
  };
  const outcomes: string[] = [];
  for (const owner of owners) outcomes.push(await join(owner));
  expect(outcomes).toEqual(['ok', 'ok', 'quota_exceeded']);
  const [first, , last] = owners;
  if (first === undefined || last === undefined) throw new Error('no owners');
  await ask(hub, bea.utok, removeMember, { network_id: first.network_id, user_id });
  expect(await join(last)).toBe('ok');
});

test('registration is never rejected because of a quota', async () => {
  const hub = await openTestHub({ max_networks: 1, max_tokens: 1, max_sessions: 1 });
  const ada = await signUp(hub, 'ada');
  expect(await outcomeOf(ask(hub, ada.utok, createNetwork, { name: 'second' }))).toBe('quota_exceeded');
});

describe('sessions', () => {
  test('the one offline longest makes room, and a known agent needs none', async () => {
    const fixture = await openFixture({ max_sessions: 3 });
    for (const alias of ['first', 'second', 'third']) {
      await report(fixture, alias, { status: alias === 'third' ? 'idle' : 'offline' });
      fixture.hub.clock.advance(1_000);
    }
    expect(await aliasesOf(fixture)).toEqual(['first', 'second', 'third']);
    await report(fixture, 'fourth');
    expect(await aliasesOf(fixture)).toEqual(['fourth', 'second', 'third']);
    await report(fixture, 'fifth');
    expect(await outcomeOf(report(fixture, 'sixth'))).toBe('quota_exceeded');
    for (const rest of [{}, { resume_id: 'another' }]) await report(fixture, 'third', rest);
    await report(fixture, 'renamed', { resume_id: 'another' });
    expect(await aliasesOf(fixture)).toEqual(['fifth', 'fourth', 'renamed']);
    fixture.hub.clock.advance(601_000);
    await report(fixture, 'sixth');
    expect(await rowsOf(fixture, 'SELECT sessions FROM session_counts')).toEqual([{ sessions: 3 }]);
  });

  const aliasesOf = async (fixture: Fixture) =>
    (await fixture.ask(getAllStatus, {})).sessions.map(({ alias }) => alias);
});

describe('a full inbox', () => {
  test('still accepts replies and stop requests, and is skipped by broadcasts', async () => {
    const fixture = await openFixture({ max_pending_messages: 2 });
    for (const alias of ['alice', 'bob', 'carol']) await report(fixture, alias);
    const ids = await Promise.all([1, 2].map((number) => send(fixture, { task: `task ${number}` })));
    for (const number of [1, 2]) await fixture.ask(sendMessage, { alias: 'alice', message: `m${number}` });
    await fixture.ask(sendReply, { alias: 'alice', text: 'done', in_reply_to: ids[0], from_session: 'bob' });
    expect(await fixture.ask(listTasks, {})).toMatchObject({
      stats: [
        { status: 'delivered', count: 1 },
        { status: 'replied', count: 1 },
      ],
    });
    await send(fixture, { task: 'task 3' });
    expect(await outcomeOf(send(fixture, { task: 'task 4' }))).toBe('quota_exceeded');
    expect(await fixture.ask(broadcast, { content: 'all', from_session: 'dora' })).toMatchObject({
      delivered_count: 1,
    });
    await fixture.ask(cancelTask, { task_id: ids[1] });
    expect(await rowsOf(fixture, 'SELECT alias, pending FROM inboxes ORDER BY alias')).toEqual([
      { alias: 'alice', pending: 3 },
      { alias: 'bob', pending: 2 },
      { alias: 'carol', pending: 1 },
    ]);
  });

  test("of a third agent accepts no reply, even one that settles another agent's task", async () => {
    const fixture = await openFixture({ max_pending_messages: 1 });
    const task_id = await send(fixture, { from_session: 'alice' });
    await fixture.ask(sendMessage, { alias: 'carol', message: 'first' });
    const reply = (alias: string) =>
      outcomeOf(fixture.ask(sendReply, { alias, text: `to ${alias}`, in_reply_to: task_id, from_session: 'bob' }));
    expect(await reply('carol')).toBe('quota_exceeded');
    expect(await fixture.ask(listTasks, {})).toMatchObject({ stats: [{ status: 'delivered', count: 1 }] });
    expect(await reply('alice')).toBe('ok');
  });

  test('of a sender blocks retries of their tasks, because the reply needs room as well', async () => {
    const fixture = await openFixture({ max_pending_messages: 2 });
    const task_id = await send(fixture, { from_session: 'alice' });
    const settle = () =>
      fixture.ask(sendReply, {
        alias: 'alice',
        text: crypto.randomUUID(),
        in_reply_to: task_id,
        from_session: 'bob',
        status: 'failed',
      });
    await settle();
    await fixture.ask(retryTask, { task_id });
    await settle();
    expect(await outcomeOf(fixture.ask(retryTask, { task_id }))).toBe('quota_exceeded');
    expect(await rowsOf(fixture, "SELECT pending FROM inboxes WHERE alias = 'alice'")).toEqual([{ pending: 2 }]);
    const {
      messages: [first],
    } = await fixture.ask(getInbox, { alias: 'alice' });
    await fixture.ask(ackInbox, { alias: 'alice', message_id: first?.id });
    expect(await outcomeOf(fixture.ask(retryTask, { task_id }))).toBe('ok');
  });

  test('accepts no reassigned task, and has room again once items are read', async () => {
    const fixture = await openFixture({ max_pending_messages: 1 });
    await send(fixture);
    const task_id = await send(fixture, { alias: 'carol' });
    expect(await outcomeOf(fixture.ask(reassignTask, { task_id, new_alias: 'bob' }))).toBe('quota_exceeded');
    const {
      messages: [first],
    } = await fixture.ask(getInbox, { alias: 'bob' });
    await fixture.ask(ackInbox, { alias: 'bob', message_id: first?.id });
    expect(await outcomeOf(fixture.ask(reassignTask, { task_id, new_alias: 'bob' }))).toBe('ok');
  });
});

describe('a rename', () => {
  test("brings no mail that exceeds the other inbox's quota", async () => {
    const fixture = await openFixture({ max_pending_messages: 3 });
    await report(fixture, 'bob', { resume_id: 'r-bob' });
    const mail = async (alias: string, number: number) => {
      for (let at = 0; at < number; at++) await fixture.ask(sendMessage, { alias, message: `${alias} ${at}` });
    };
    await mail('bob', 2);
    await mail('carol', 2);
    expect(await outcomeOf(report(fixture, 'carol', { resume_id: 'r-bob' }))).toBe('quota_exceeded');
    expect(await rowsOf(fixture, 'SELECT alias FROM sessions')).toEqual([{ alias: 'bob' }]);
    await mail('dora', 1);
    expect(await outcomeOf(report(fixture, 'dora', { resume_id: 'r-bob' }))).toBe('ok');
    expect(await rowsOf(fixture, "SELECT pending FROM inboxes WHERE alias = 'dora'")).toEqual([{ pending: 3 }]);
    await report(fixture, 'eve', { resume_id: 'r-eve' });
    expect(await outcomeOf(report(fixture, 'carol', { resume_id: 'r-eve' }))).toBe('ok'); // brings nothing
  });
});

describe('nodes', () => {
  const nodeOf = (fixture: Fixture, node_id: string) => report(fixture, 'bob', { node_id, hostname: 'h'.repeat(100) });

  test('are counted once each, and pruning old nodes makes room for new ones', async () => {
    const fixture = await openFixture({ max_nodes: 2, keep_tasks_days: 10 });
    for (const node of ['a', 'b', 'a', 'b']) expect(await outcomeOf(nodeOf(fixture, node))).toBe('ok');
    await expect(nodeOf(fixture, 'c')).rejects.toMatchObject({
      code: 'quota_exceeded',
      message: expect.stringContaining('max_nodes'),
    });
    fixture.hub.clock.advance(8 * DAY);
    await nodeOf(fixture, 'b');
    fixture.hub.clock.advance(3 * DAY);
    expect((await pruneNow(fixture.hub)).nodes).toBe(1);
    expect(await outcomeOf(nodeOf(fixture, 'c'))).toBe('ok');
    expect(await rowsOf(fixture, 'SELECT node_id FROM nodes ORDER BY node_id')).toEqual([
      { node_id: 'b' },
      { node_id: 'c' },
    ]);
    expect(await outcomeOf(nodeOf(fixture, 'd'))).toBe('quota_exceeded');
  });

  test('that arrive concurrently get exactly the quota', async () => {
    const fixture = await openFixture({ max_nodes: 10 });
    expect(await outcomesOf((index) => nodeOf(fixture, `node ${index}`))).toEqual(TEN_OF_MANY);
  });
});

test('unusable invites are deleted to make room, so that the list stays bounded', async () => {
  const { hub, ada } = await openAccount({ max_invites: 3 });
  for (let at = 0; at < 20; at++) {
    await ask(hub, ada.utok, createInvite, { network_id: ada.network_id, expires_in_days: 0.001 });
    hub.clock.advance(100_000);
  }
  const [counted] = await hub.store.read((reader) =>
    reader.all<{ rows: number }>('SELECT count(*) AS rows FROM invites'),
  );
  expect(counted?.rows).toBeLessThanOrEqual(6);
});

describe('rates', () => {
  test('limit requests per token and minute, with a retry time', async () => {
    const { hub, ada } = await openAccount({ max_requests_per_minute: 10 });
    hub.clock.advance(15_000 - (hub.clock.now() % 60_000));
    expect(await outcomesOf(() => ask(hub, ada.ntok, listTasks, {}))).toEqual({ ok: 10, rate_limited: AT_ONCE - 10 });
    await expect(ask(hub, ada.ntok, listTasks, {})).rejects.toMatchObject({
      retryAfterSeconds: 45,
      message: expect.stringContaining('max_requests_per_minute'),
    });
    expect(await overMcp(hub, ada, 'list_tasks', {})).toMatchObject({
      ok: false,
      error: 'rate_limited',
      message: expect.stringContaining('wait 45 s, then try again'),
    });
    expect(await outcomeOf(ask(hub, ada.utok, listTasks, {}))).toBe('ok');
    hub.clock.advance(45_000);
    expect(await outcomeOf(ask(hub, ada.ntok, listTasks, {}))).toBe('ok');
  });

  test('count every MCP request, whatever its method, also within a batch', async () => {
    const { hub, ada } = await openAccount({ max_requests_per_minute: 14 });
    const caller = await identify(hub, ada.ntok, '127.0.0.1');
    if (caller === undefined) throw new Error('the token is not known');
    const post = (value: unknown) => answerMcp(hub, caller, { headers: {}, body: { value } });
    const ask = (method: string, id: number, params = {}) => ({ jsonrpc: '2.0', id, method, params });
    const methods = ['ping', 'tools/list', 'resources/list', 'prompts/list', 'no/such', 'tools/call', 'resources/read'];
    const params: Record<string, object> = {
      'tools/call': { name: 'list_tasks' },
      'resources/read': { uri: 'hub://status' },
    };
    for (const [at, method] of methods.entries())
      expect((await post(ask(method, at, params[method]))).body).not.toContain('rate_limited');
    for (const unasked of [
      { jsonrpc: '2.0', method: 'tools/call', params: { name: 'list_tasks' } },
      [{ jsonrpc: '2.0', id: 1, result: {} }],
    ]) {
      expect((await post(unasked)).status).toBe(202);
    }
    const { later } = await post(Array.from({ length: 10 }, (_, at) => ask('ping', at)));
    const room = {
      take: () => undefined,
      pressed: new AbortController().signal,
      pace: async () => {},
      inTurn: <T>(work: () => Promise<T>) => work(),
      isAbandoned: () => false,
    };
    const { pieces = [] } = (await later?.run(new AbortController().signal, () => {}, room)) ?? {};
    expect(pieces.join('').match(/rate_limited: /g)).toHaveLength(5);
    expect((await post(ask('initialize', 1))).body).toContain('wait');
  });

  test('of broadcasts do not affect other calls', async () => {
    const { hub, ada } = await openAccount({ max_broadcasts_per_minute: 2 });
    const outcomes = await outcomesOf((index) => ask(hub, ada.ntok, broadcast, { content: `all ${index}` }));
    expect(outcomes).toEqual({ ok: 2, rate_limited: AT_ONCE - 2 });
    expect(await outcomeOf(ask(hub, ada.ntok, sendTask, { alias: 'bob', task: 'x' }))).toBe('ok');
  });
});

describe('changes of a user', () => {
  test('are counted over all tokens, and revoking is free', async () => {
    const { hub, ada } = await openAccount({ max_changes_per_minute: 3 });
    const created = await ask(hub, ada.utok, createToken, { name: 'a' });
    const { token: other } = await ask(hub, ada.utok, login, { username: 'ada', password: PASSWORD });
    for (const [at, token] of [ada.utok, other].entries())
      expect(await outcomeOf(ask(hub, token, createToken, { name: `b${at}` }))).toBe('ok');
    for (const token of [ada.utok, other])
      await expect(ask(hub, token, createToken, { name: 'c' })).rejects.toMatchObject({
        code: 'rate_limited',
        message: expect.stringContaining('max_changes_per_minute'),
      });
    expect(await outcomeOf(ask(hub, other, revokeToken, { token_id: created.token_id }))).toBe('ok');
    expect(await outcomeOf(ask(hub, ada.ntok, sendTask, { alias: 'bob', task: 'x' }))).toBe('ok');
    hub.clock.advance(60_000);
    expect(await outcomeOf(ask(hub, other, createToken, { name: 'c' }))).toBe('ok');
  });
});

describe('bytes of a network', () => {
  test('count the session data that hook events store, and beyond the quota hook events change nothing', async () => {
    const { hub, ada } = await openAccount({ max_network_bytes: 30_000 });
    await ask(hub, ada.ntok, reportStatus, { resume_id: 'r', alias: 'bob', status: 'idle', task: 'x'.repeat(10_000) });
    const hook = async (name: string) => {
      const response = await ask(hub, ada.ntok, clientHook, {
        client: 'codex',
        alias: 'bob',
        hook_event_name: name,
        session_id: 'c',
      });
      await hub.store.write(async () => {}); // after the event's write
      return response;
    };
    for (let at = 0; at < 10; at++) expect(await hook(at % 2 === 0 ? 'UserPromptSubmit' : 'Stop')).toEqual({});
    const events = await hub.store.read((reader) => reader.all("SELECT seq FROM events WHERE name = 'session'"));
    expect(events.length).toBeLessThanOrEqual(3);
    expect((await ask(hub, ada.ntok, getAllStatus, {})).sessions).toMatchObject([{ alias: 'bob' }]);
  });

  test('are the last measured size plus what was sent since. Settling and reading still work, and so do other networks', async () => {
    const { hub, ada } = await openAccount({ max_network_bytes: 100_000 });
    const bea = await signUp(hub, 'bea');
    const text = 'x'.repeat(10_000);
    await ask(hub, ada.ntok, reportStatus, { resume_id: 'known', alias: 'known', status: 'idle' });
    const outcomes = await outcomesOf((index) =>
      ask(hub, ada.ntok, sendTask, {
        alias: 'bob',
        task: `${text.slice(4)}${String(index).padStart(4, '0')}`,
        from_session: 'alice',
      }),
    );
    expect(outcomes).toEqual({ ok: 10, quota_exceeded: AT_ONCE - 10 });
    expect(await outcomeOf(ask(hub, bea.ntok, sendTask, { alias: 'bob', task: text }))).toBe('ok');
    expect(await measureNetworks(hub)).toEqual({ measured: 2 });
    expect(hub.networkBytes.of(ada.network_id)).toBeGreaterThanOrEqual(90_000);
    for (const act of [
      () => ask(hub, ada.ntok, sendMessage, { alias: 'bob', message: text }),
      () => ask(hub, ada.ntok, sendReply, { alias: 'bob', text }),
      () => ask(hub, ada.ntok, reportCompletion, { alias: 'bob', task: 'nothing that was asked for', result: text }),
      () => ask(hub, ada.ntok, reportStatus, { resume_id: 'new', alias: 'new', status: 'idle', task: text }),
    ])
      expect(await outcomeOf(act())).toBe('quota_exceeded');
    const {
      tasks: [first],
    } = await ask(hub, ada.ntok, listTasks, {});
    expect(
      await outcomeOf(
        ask(hub, ada.ntok, sendReply, { alias: 'alice', text, in_reply_to: first?.task_id, from_session: 'bob' }),
      ),
    ).toBe('ok');
    const {
      tasks: [second],
    } = await ask(hub, ada.ntok, listTasks, { status: 'delivered' });
    expect(
      await outcomeOf(ask(hub, ada.ntok, reportCompletion, { alias: 'bob', task: second?.task_id, result: text })),
    ).toBe('ok');
    const {
      messages: [reply],
    } = await ask(hub, ada.ntok, getInbox, { alias: 'alice' });
    const {
      tasks: [live, ended],
    } = await ask(hub, ada.ntok, listTasks, { status: 'delivered' });
    await ask(hub, ada.ntok, cancelTask, { task_id: ended?.task_id });
    for (const act of [
      () => ask(hub, ada.ntok, retryTask, { task_id: ended?.task_id }),
      () => ask(hub, ada.ntok, ackInbox, { alias: 'alice', message_id: reply?.id, response: 'noted' }),
      () => ask(hub, ada.ntok, reassignTask, { task_id: live?.task_id, new_alias: 'carol' }),
      () => ask(hub, ada.ntok, reportStatus, { resume_id: 'known', alias: 'known', status: 'idle', node_id: 'new' }),
      () => ask(hub, ada.ntok, reportStatus, { resume_id: 'known', alias: 'known', status: 'working', task: text }),
    ])
      expect(await outcomeOf(act())).toBe('quota_exceeded');
    expect(await outcomeOf(ask(hub, ada.ntok, ackInbox, { alias: 'alice', message_id: reply?.id }))).toBe('ok');
    await hub.store.write(async (tx) => {
      await tx.run(
        'DELETE FROM tasks WHERE network_seq = ?',
        [tx.networkSeq(ada.network_id)],
        'inboxes',
        'task_counts',
      );
      await tx.run('DELETE FROM events');
    });
    await measureNetworks(hub);
    expect(await outcomeOf(ask(hub, ada.ntok, sendTask, { alias: 'bob', task: text }))).toBe('ok');
  });

  test('are not measured without a quota', async () => {
    const { hub, ada } = await openAccount({});
    await ask(hub, ada.ntok, sendTask, { alias: 'bob', task: 'x' });
    expect(await measureNetworks(hub)).toEqual({ measured: 0 });
    expect(hub.networkBytes.of(ada.network_id)).toBe(0);
  });
});

test.each<[what: string, change: object, isOpen: boolean, warned: number]>([
  ['public with open registration', {}, true, 1],
  ['local', {}, false, 0],
  ['by invite', { registration: 'invite' }, true, 0],
  ['with all of them set', Object.fromEntries(FOR_STRANGERS.map((name) => [name, 1])), true, 0],
])('the log recommends quotas that are off to a hub that is %s', (_, change, isOpen, warned) => {
  const lines: string[] = [];
  const log = {
    isLevelEnabled: () => false,
    debug: () => {},
    info: () => {},
    error: () => {},
    warn: (_fields: object, line: string) => void lines.push(line),
  };
  recommendQuotas(log, { ...DEFAULT_SETTINGS, ...change }, isOpen);
  expect(lines).toHaveLength(warned);
  for (const line of lines) for (const name of FOR_STRANGERS) expect(line).toContain(name);
});
