// Rules for REST endpoints outside of their table: filters, behavior and defaults.
import { expect } from 'vitest';
import { type JsonObject, listOf } from '../../../support/json.ts';
import type { TestNetwork } from '../fixture.ts';
import type { Row } from '../row-tests.ts';

export const REST_ROWS: readonly Row[] = [
  [
    'GET /health: uptime is a whole number of seconds, version that of the server',
    async ({ fixture }) => {
      const { body } = await fixture.ask('GET', '/health');
      expect(body).toMatchObject({
        status: 'ok',
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        uptime: expect.toSatisfy(Number.isInteger),
      });
    },
  ],
  [
    'PUT /api/auth/me: changes display_name',
    async ({ fixture }) => {
      const { token } = await fixture.newUser();
      await fixture.ask('PUT', '/api/auth/me', { token, body: { display_name: '林' } });
      expect((await fixture.ask('GET', '/api/auth/me', { token })).body).toMatchObject({
        user: { display_name: '林' },
      });
    },
  ],
  [
    'POST /api/auth/password: the new password works, the old one does not',
    async ({ fixture }) => {
      const { token, username } = await fixture.newUser();
      const change = { old_password: 'correct horse', new_password: 'battery staple' };
      expect(
        (await fixture.ask('POST', '/api/auth/password', { token, body: { ...change, old_password: 'wrong horse' } }))
          .status,
      ).toBe(401);
      expect((await fixture.ask('POST', '/api/auth/password', { token, body: change })).status).toBe(200);
      const login = (password: string) => fixture.ask('POST', '/api/auth/login', { body: { username, password } });
      expect((await login(change.old_password)).status).toBe(401);
      expect((await login(change.new_password)).status).toBe(200);
    },
  ],
  [
    'POST /api/networks: the creator owns it',
    async ({ fixture }) => {
      const { token, user_id } = fixture.outsider;
      const { body } = await fixture.ask('POST', '/api/networks', {
        token,
        body: { name: 'mine', description: 'about' },
      });
      const { body: shown } = await fixture.ask('GET', `/api/networks/${body.network_id}`, { token });
      expect(shown.network).toMatchObject({
        network_name: 'mine',
        description: 'about',
        owner_id: user_id,
        member_role: 'owner',
        member_count: 1,
      });
    },
  ],
  [
    'GET /api/status: network_id and status are optional filters',
    async (network) => {
      await network.report('w', { status: 'working' });
      await network.report('i');
      await network.report('o', { status: 'offline' });
      expect(await aliases(network, '')).toEqual(['i', 'o', 'w']);
      for (const [status, alias] of [
        ['working', 'w'],
        ['idle', 'i'],
        ['offline', 'o'],
      ])
        expect(await aliases(network, `?status=${status}`)).toEqual([alias]);
      expect(await aliases(network, `?network_id=${network.network_id}&status=idle`)).toEqual(['i']);
    },
  ],
  [
    'GET /api/tasks: status, to_name, from_name and limit filter',
    async (network) => {
      const one = await network.task({ alias: 'bob', from_session: 'alice' });
      const two = await network.task({ alias: 'carol', from_session: 'dave' });
      await network.tool('cancel_task', { task_id: two });
      const found = async (query: string) => (await tasks(network, query)).map(({ task_id }) => task_id);
      expect(await found('')).toEqual([two, one]);
      expect(await found('?status=cancelled')).toEqual([two]);
      expect(await found('?to_name=bob')).toEqual([one]);
      expect(await found('?from_name=dave')).toEqual([two]);
      expect(await found('?from_name=dave&to_name=bob')).toEqual([]);
      expect(await found('?limit=1')).toEqual([two]);
    },
  ],
  [
    'GET /api/tasks: limit is 50 when omitted',
    async (network) => {
      for (let count = 0; count < 51; count++) await network.task({ task: `task ${count}` });
      expect(await tasks(network, '')).toHaveLength(50);
    },
  ],
  [
    'GET /api/messages: alias and limit filter',
    async (network) => {
      await network.task({ alias: 'bob' });
      await network.task({ alias: 'carol' });
      const found = async (query: string) =>
        listOf((await network.ask('GET', `/api/messages${query}`)).body, 'messages').map(({ alias }) => alias);
      expect(await found('')).toEqual(['carol', 'bob']);
      expect(await found('?alias=bob')).toEqual(['bob']);
      expect(await found('?limit=1')).toEqual(['carol']);
    },
  ],
  [
    'GET /api/completions: limit filters',
    async (network) => {
      for (const task of ['one', 'two']) await network.tool('report_completion', { alias: 'bob', task, result: 'r' });
      expect(listOf((await network.ask('GET', '/api/completions?limit=1')).body, 'completions')).toMatchObject([
        { task: 'two' },
      ]);
    },
  ],
  [
    'GET /api/task_events: task_id filters',
    async (network) => {
      const task_id = await network.task();
      await network.task();
      const { body } = await network.ask('GET', `/api/task_events?task_id=${task_id}`);
      expect(body).toMatchObject({
        count: 1,
        events: [{ task_id, from_status: null, to_status: 'delivered', actor: 'alice' }],
      });
    },
  ],
  [
    'GET /api/nodes: persistent, distinct from the session',
    async (network) => {
      await network.report('bob', { node_id: 'n1', hostname: 'h1' });
      await network.report('bob', { node_id: 'n2', hostname: 'h2' });
      const { body } = await network.ask('GET', '/api/nodes');
      expect(listOf(body, 'nodes')).toMatchObject([
        { node_id: 'n2', hostname: 'h2', alias: 'bob' },
        { node_id: 'n1', hostname: 'h1' },
      ]);
    },
  ],
  [
    'GET /api/stats: sessions total, online, offline',
    async (network) => {
      await network.report('bob');
      await network.report('carol', { status: 'offline' });
      expect((await network.ask('GET', '/api/stats')).body.sessions).toEqual({ total: 2, online: 1, offline: 1 });
    },
  ],
  [
    'DELETE network: fails for a non-owner',
    async (network) => {
      await network.join(network.fixture.member, 'member');
      expect(await remove(network, network.fixture.member.token)).toMatchObject({
        status: 403,
        body: { error: 'forbidden' },
      });
      expect(await remove(network, network.fixture.outsider.token)).toMatchObject({
        status: 403,
        body: { error: 'forbidden' },
      });
    },
  ],
  [
    'DELETE network: fails while sessions are active, works when all are offline',
    async (network) => {
      await network.report('bob');
      expect(await remove(network, network.fixture.owner.token)).toMatchObject({
        status: 400,
        body: { error: 'network_has_active_sessions' },
      });
      await network.report('bob', { status: 'offline' });
      expect((await remove(network, network.fixture.owner.token)).status).toBe(200);
      expect(
        (
          await network.fixture.ask('GET', `/api/networks/${network.network_id}`, {
            token: network.fixture.owner.token,
          })
        ).status,
      ).toBe(404);
    },
  ],
];

async function aliases(network: TestNetwork, query: string): Promise<unknown[]> {
  const { body } = await network.ask('GET', `/api/status${query}`);
  expect(body).not.toHaveProperty('ok');
  return listOf(body, 'sessions')
    .map(({ alias }) => alias)
    .sort();
}

async function tasks(network: TestNetwork, query: string): Promise<JsonObject[]> {
  return listOf((await network.ask('GET', `/api/tasks${query}`)).body, 'tasks');
}

function remove(network: TestNetwork, token: string) {
  return network.fixture.ask('DELETE', `/api/networks/${network.network_id}`, { token });
}
