// SPECIFICATION.md §7 as seen by a client: lists, bodies and the endpoints for people and scripts.
import { expect } from 'vitest';
import { type JsonObject, listOf, objectOf } from '../../../support/json.ts';
import type { TestNetwork } from '../fixture.ts';
import type { Row } from '../row-tests.ts';

/** The lists of a network, and how to add an item to each. */
const NETWORK_LISTS: readonly [
  path: string,
  noun: string,
  add: (network: TestNetwork, count: number) => Promise<unknown>,
][] = [
  ['/api/tasks', 'tasks', (network, count) => network.task({ task: `task ${count}` })],
  ['/api/messages', 'messages', (network, count) => network.task({ task: `task ${count}` })],
  ['/api/task_events', 'events', (network, count) => network.task({ task: `task ${count}` })],
  [
    '/api/completions',
    'completions',
    (network, count) => network.tool('report_completion', { alias: 'bob', task: `task ${count}`, result: 'r' }),
  ],
  ['/api/nodes', 'nodes', (network, count) => network.report('bob', { node_id: `n${count}` })],
];

/** The lists of a user. */
const USER_LISTS: readonly [path: string, noun: string][] = [
  ['/api/tokens', 'tokens'],
  ['/api/users', 'users'],
  ['/api/audit-log', 'entries'],
  ['/api/networks/:id/members', 'members'],
  ['/api/networks/:id/invites', 'invites'],
];

export const REST_DECISION_ROWS: readonly Row[] = [
  ...NETWORK_LISTS.map(
    ([path, noun, add]): Row => [
      `GET ${path}: newest first, page by page with next_cursor, nothing twice`,
      async (network) => {
        for (let count = 0; count < 5; count++) await add(network, count);
        const whole = await pages(network, path, noun, 500);
        expect(whole).toHaveLength(5);
        expect(await pages(network, path, noun, 2)).toEqual(whole);
        expect(await pages(network, path, noun, 5)).toEqual(whole);
        expect(identity(whole[0])).not.toBe(identity(whole[4]));
      },
    ],
  ),
  ...USER_LISTS.map(
    ([path, noun]): Row => [
      `GET ${path}: page by page with next_cursor, nothing twice`,
      async (network) => {
        const { fixture, network_id } = network;
        await network.join(fixture.member, 'member');
        await network.join(fixture.viewer, 'viewer');
        const [filled, { token }] = [
          path.replace(':id', network_id),
          path === '/api/users' ? fixture.admin : fixture.owner,
        ];
        const asUser: TestNetwork = { ...network, ask: (method, path) => fixture.ask(method, path, { token }) };
        const whole = (await pages(asUser, filled, noun, 500)).map(identity);
        const small = Math.min(499, Math.ceil(whole.length / 2));
        expect(whole.length).toBeGreaterThan(small);
        expect((await pages(asUser, filled, noun, small)).map(identity)).toEqual(whole);
      },
    ],
  ),
  [
    'GET /api/status and get_all_status: by alias, page by page with next_cursor, nothing twice, the summary of all',
    async (network) => {
      for (const alias of ['eve', 'bob', 'dan', 'Ann', 'carol']) await network.report(alias);
      const rest: JsonObject[] = [];
      const tool: JsonObject[] = [];
      for (let cursor: unknown, turn = 0; turn === 0 || cursor !== undefined; turn++) {
        const given = { limit: 2, ...(cursor !== undefined && { cursor }) };
        const { body } = await network.ask(
          'GET',
          `/api/status?${new URLSearchParams(Object.entries(given).map(([name, value]) => [name, String(value)]))}`,
        );
        const result = await network.tool('get_all_status', given);
        expect([result.summary, result.next_cursor]).toEqual([[{ status: 'idle', count: 5 }], body.next_cursor]);
        rest.push(...listOf(body, 'sessions'));
        tool.push(...listOf(result, 'sessions'));
        cursor = body.next_cursor;
      }
      for (const found of [rest, tool])
        expect(found.map(({ alias }) => alias)).toEqual(['Ann', 'bob', 'carol', 'dan', 'eve']);
      expect((await network.ask('GET', '/api/status?limit=1&with_summary=true')).body.summary).toEqual([
        { status: 'idle', count: 5 },
      ]);
    },
  ],
  [
    'GET /api/networks: in the order of joining, page by page with next_cursor, without duplicates',
    async (network) => {
      const user = await network.fixture.newUser();
      const ask: TestNetwork['ask'] = (method, path, more) =>
        network.fixture.ask(method, path, { token: user.token, ...more });
      for (const name of ['second', 'third']) await ask('POST', '/api/networks', { body: { name } });
      const whole = await pages({ ...network, ask }, '/api/networks', 'networks', 500);
      expect(whole.map(({ network_name }) => network_name).slice(1)).toEqual(['second', 'third']);
      expect(await pages({ ...network, ask }, '/api/networks', 'networks', 2)).toEqual(whole);
    },
  ],
  [
    'GET /api/tasks: stats of the whole network whatever the filters',
    async (network) => {
      await network.task();
      const { body } = await network.ask('GET', '/api/tasks?to_name=nobody');
      expect(body).toMatchObject({ count: 0, stats: expect.arrayContaining([{ status: 'delivered', count: 1 }]) });
    },
  ],
  [
    'GET /api/tasks/:id: the task and its events, oldest first',
    async (network) => {
      const task_id = await network.task();
      await network.tool('send_ack', { task_id, from_session: 'bob' });
      await network.tool('cancel_task', { task_id, from_session: 'alice' });
      const { body } = await network.ask('GET', `/api/tasks/${task_id}`);
      expect(objectOf(body, 'task').status).toBe('cancelled');
      expect(
        listOf(body, 'events').map(({ from_status, to_status, actor }) => [from_status, to_status, actor]),
      ).toEqual([
        [null, 'delivered', 'alice'],
        ['delivered', 'running', 'bob'],
        ['running', 'cancelled', 'alice'],
      ]);
    },
  ],
  [
    'POST /api/tasks, …/ack, …/reply: the same as the tools; a reply goes to the task’s sender',
    async (network) => {
      const { body: sent } = await network.ask('POST', '/api/tasks', {
        body: { alias: 'bob', task: 'build it', from_session: 'alice' },
      });
      const path = `/api/tasks/${sent.task_id}`;
      expect((await network.ask('POST', `${path}/ack`)).body).toEqual({ ok: true, task_id: sent.task_id, updated: 1 });
      expect(
        (await network.ask('POST', `${path}/reply`, { body: { text: 'built', from_session: 'bob' } })).status,
      ).toBe(200);
      expect(await network.tool('get_task', { task_id: sent.task_id })).toMatchObject({
        task: { status: 'replied', result: 'built' },
      });
      expect((await network.tool('get_inbox', { alias: 'alice' })).messages).toMatchObject([
        { type: 'reply', in_reply_to: sent.task_id },
      ]);
    },
  ],
  [
    'POST /api/tasks/:id/reassign, cancel, retry: the same as the tools',
    async (network) => {
      const task_id = await network.task();
      const path = `/api/tasks/${task_id}`;
      expect((await network.ask('POST', `${path}/reassign`, { body: { new_alias: 'carol' } })).body).toEqual({
        ok: true,
        task_id,
        reassigned_from: 'bob',
        reassigned_to: 'carol',
      });
      expect((await network.ask('POST', `${path}/cancel`, { body: { reason: 'no' } })).body).toEqual({
        ok: true,
        task_id,
        cancelled: true,
      });
      expect((await network.ask('POST', `${path}/retry`)).body).toEqual({ ok: true, task_id, retried_to: 'carol' });
    },
  ],
  [
    'GET /api/tasks/:id: the reports of each attempt, once there is more than one',
    async (network) => {
      const task_id = await network.task();
      const replies = async () => (await network.ask('GET', `/api/tasks/${task_id}`)).body['replies'];
      for (const text of ['no paint', 'no brush']) {
        await network.tool('send_reply', {
          alias: 'alice',
          text,
          status: 'failed',
          in_reply_to: task_id,
          from_session: 'bob',
        });
        if (text === 'no paint') expect(await replies()).toBeUndefined();
        await network.tool('retry_task', { task_id });
      }
      await network.tool('cancel_task', { task_id, reason: 'enough' });
      expect(await replies()).toMatchObject([
        { type: 'reply', attempt: 1, status: 'failed', content: 'no paint', task_id },
        { type: 'reply', attempt: 2, content: 'no brush' },
        { type: 'cancel', attempt: 3, content: 'enough' },
      ]);
    },
  ],
  [
    'GET /api/messages: including acknowledged ones, with alias and acked_at',
    async (network) => {
      const message_id = await network.task();
      await network.tool('ack_inbox', { alias: 'bob', message_id });
      expect((await network.ask('GET', '/api/messages')).body).toMatchObject({
        count: 1,
        messages: [{ id: message_id, alias: 'bob', acked_at: expect.any(String) }],
      });
    },
  ],
  [
    'the audit log has registrations, logins (including failed ones), passwords, tokens, invites, members and networks',
    async (network) => {
      const { fixture, network_id } = network;
      const { token, username } = await fixture.newUser();
      const login = (password: string) => fixture.ask('POST', '/api/auth/login', { body: { username, password } });
      await login('wrong horse');
      await login('correct horse');
      await fixture.ask('POST', '/api/auth/password', {
        token,
        body: { old_password: 'correct horse', new_password: 'battery staple' },
      });
      await network.join(fixture.member, 'member');
      await fixture.ask('PUT', `/api/networks/${network_id}`, {
        token: fixture.owner.token,
        body: { description: 'd' },
      });
      const { body } = await fixture.ask('GET', '/api/audit-log?limit=500', { token: fixture.admin.token });
      const acts = listOf(body, 'entries')
        .filter(({ actor, network_id: where }) => actor === username || where === network_id)
        .map(({ action }) => action);
      expect(acts).toEqual(
        expect.arrayContaining([
          'user.register',
          'user.login_failed',
          'user.login',
          'user.password',
          'network.create',
          'token.create',
          'invite.create',
          'member.join',
          'network.update',
        ]),
      );
      expect(JSON.stringify(body)).not.toMatch(/horse|staple|[un]tok_\w{36}|inv_\w{24}/);
    },
  ],
  [
    'an empty body without content type counts as {}',
    async (network) => {
      const headers = { Authorization: `Bearer ${network.token}` };
      const response = await fetch(`${network.fixture.hub.url}/api/tasks/${await network.task()}/cancel`, {
        method: 'POST',
        headers,
      });
      expect(response.status).toBe(200);
    },
  ],
  [
    'unknown members are ignored',
    async (network) => {
      expect(
        (await network.ask('POST', '/api/messages', { body: { alias: 'bob', message: 'x', color: 'blue' } })).status,
      ).toBe(200);
      expect((await network.ask('GET', '/api/tasks?color=blue')).status).toBe(200);
      expect(await network.tool('get_all_status', { color: 'blue' })).toMatchObject({ ok: true });
    },
  ],
  [
    'a body of 1 MiB is accepted',
    async (network) => {
      const room = 2 ** 20 - JSON.stringify({ alias: 'bob', message: 'x', padding: '' }).length;
      expect(
        (
          await network.ask('POST', '/api/messages', {
            body: { alias: 'bob', message: 'x', padding: 'x'.repeat(room) },
          })
        ).status,
      ).toBe(200);
    },
  ],
  [
    'a 400 names the member and the rule',
    async (network) => {
      const { body } = await network.ask('POST', '/api/messages', {
        body: { alias: 'bob', message: 'x'.repeat(10_001) },
      });
      expect(body).toEqual({ error: 'invalid_request', message: 'message must have at most 10000 characters' });
    },
  ],
];

async function pages(network: TestNetwork, path: string, noun: string, limit: number): Promise<JsonObject[]> {
  const found: JsonObject[] = [];
  for (let cursor: unknown; ; ) {
    const { body } = await network.ask(
      'GET',
      `${path}?limit=${limit}${cursor === undefined ? '' : `&cursor=${String(cursor)}`}`,
    );
    const items = listOf(body, noun);
    expect(body.count).toBe(items.length);
    found.push(...items);
    if (body.next_cursor === undefined) return found;
    cursor = body.next_cursor;
  }
}

function identity(item: JsonObject | undefined): unknown {
  return item?.id ?? item?.task_id ?? item?.node_id ?? item?.token_id ?? item?.invite_id ?? item?.user_id;
}
