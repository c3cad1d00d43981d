// SPECIFICATION.md §1, §2 and §8 as seen by a client: accounts, networks, members, invites and the trial.
import { expect } from 'vitest';
import { PASSWORD } from '../../support/http/rest-client.ts';
import { type JsonObject, listOf, objectOf, textOf } from '../../support/json.ts';
import { setupTokenOf } from '../../support/process/running-hub.ts';
import { type Fixture, newAddress, type Reply, type TestNetwork, type User } from './fixture.ts';
import type { Row } from './row-tests.ts';
import { withShortTrial } from './short-timeouts.ts';

export const NETWORK_DECISION_ROWS: readonly Row[] = [
  [
    '§1 on an address that is not loopback, the first registration needs the setup token',
    async ({ fixture }) => {
      const hub = await fixture.newHub(['--host', '0.0.0.0']);
      const setup = await setupTokenOf(hub);
      const register = (bearer?: string) =>
        fetch(`${hub.url}/api/auth/register`, {
          method: 'POST',
          headers: {
            'Content-Type': 'application/json',
            'X-Forwarded-For': newAddress(),
            ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }),
          },
          body: JSON.stringify({ username: `first_${bearer?.length ?? 0}`, password: PASSWORD }),
        });
      for (const bearer of [undefined, 'wrong']) {
        const refused = await register(bearer);
        expect([refused.status, await refused.json()]).toEqual([
          403,
          { error: 'setup_token_required', message: expect.any(String) },
        ]);
      }
      expect((await register(setup)).status).toBe(200);
      expect((await register()).status).toBe(200);
    },
  ],
  [
    '§1 a bearer sent to register or login is ignored',
    async ({ fixture }) => {
      const body = { username: fixture.outsider.username, password: PASSWORD };
      expect((await fixture.ask('POST', '/api/auth/login', { token: 'utok_nonsense', body })).status).toBe(200);
    },
  ],
  [
    '§2 registration creates a personal network named after the username, with a token for it',
    async ({ fixture }) => {
      const user = await fixture.newUser('林黛玉_1');
      const { body } = await fixture.ask('GET', '/api/networks', { token: user.token });
      expect(body.networks).toMatchObject([
        {
          network_id: user.network_id,
          network_name: '林黛玉_1',
          member_role: 'owner',
          visibility: 'private',
          max_members: 50,
        },
      ]);
      const tasks = await fixture.ask('GET', `/api/tasks?network_id=${user.network_id}`, { token: user.network_token });
      expect(tasks.status).toBe(200);
    },
  ],
  [
    '§2 login returns the user’s first owned network',
    async ({ fixture }) => {
      const user = await fixture.newUser();
      await fixture.ask('POST', '/api/networks', { token: user.token, body: { name: 'second' } });
      const { body } = await fixture.ask('POST', '/api/auth/login', {
        body: { username: user.username.toUpperCase(), password: PASSWORD },
      });
      expect(body.network_id).toBe(user.network_id);
    },
  ],
  [
    '§2 display_name defaults to the username; usernames are unique and case-insensitive',
    async ({ fixture }) => {
      const register = (username: string) =>
        fixture.ask('POST', '/api/auth/register', { body: { username, password: PASSWORD } });
      expect(objectOf((await register('CamelCase')).body, 'user').display_name).toBe('CamelCase');
      expectRefusal(await register('camelcase'), 400, 'username_taken');
    },
  ],
  [
    '§2 GET /api/networks/:id returns description, member_count and stats',
    async (network) => {
      await network.report('bob', { node_id: 'n1' });
      await network.task();
      const { body } = await asOwner(network, 'GET', '');
      expect(body).toMatchObject({
        network: { description: '', member_count: 1 },
        stats: {
          sessions: { total: 1, online: 1, offline: 0 },
          tasks: { total: 1, delivered: 1, expired: 0 },
          nodes: 1,
        },
      });
    },
  ],
  [
    '§2 PUT changes network_name, description and max_members, and keeps the rest',
    async (network) => {
      const { body } = await asOwner(network, 'PUT', '', { description: 'about', max_members: 7 });
      expect(body.network).toMatchObject({ network_name: 'a row', description: 'about', max_members: 7 });
    },
  ],
  [
    '§2 an unknown network: 404; a foreign one: 403',
    async ({ fixture }) => {
      const { token } = fixture.outsider;
      for (const [method, rest] of [
        ['GET', ''],
        ['PUT', ''],
        ['DELETE', ''],
        ['GET', '/members'],
        ['POST', '/invite'],
        ['GET', '/invites'],
      ] as const) {
        const ask = (id: string) =>
          fixture.ask(method, `/api/networks/${id}${rest}`, {
            token,
            ...(method === 'PUT' || method === 'POST' ? { body: {} } : {}),
          });
        expectRefusal(await ask('net_nowhere'), 404, 'not_found');
        expectRefusal(await ask(fixture.owner.network_id), 403, 'forbidden');
      }
    },
  ],
  [
    '§2 objects in a foreign network look nonexistent',
    async (network) => {
      const task_id = await network.task();
      const { network_token } = network.fixture.outsider;
      const [foreign, nowhere] = [
        await network.tool('get_task', { task_id }, network_token),
        await network.tool('get_task', { task_id: 'task_nowhere' }, network_token),
      ];
      expect(foreign).toEqual(nowhere);
    },
  ],
  [
    '§2 DELETE removes everything of the network, its tokens too',
    async (network) => {
      await network.task();
      expect((await asOwner(network, 'DELETE', '')).status).toBe(200);
      expect((await network.ask('GET', '/api/tasks')).status).toBe(401);
    },
  ],
  [
    '§2 members are listed with role and joined_at',
    async (network) => {
      const { owner, viewer } = network.fixture;
      await network.join(viewer, 'viewer');
      const { body } = await asOwner(network, 'GET', '/members');
      expect(listOf(body, 'members').map(({ username, role }) => [username, role])).toEqual([
        [viewer.username, 'viewer'],
        [owner.username, 'owner'],
      ]);
    },
  ],
  [
    '§2 PUT …/members/:user_id changes a role, but never the owner’s',
    async (network) => {
      const { owner, member } = network.fixture;
      await network.join(member, 'member');
      expect((await asOwner(network, 'PUT', `/members/${member.user_id}`, { role: 'viewer' })).body).toEqual({
        ok: true,
        user_id: member.user_id,
        role: 'viewer',
      });
      expectRefusal(
        await asOwner(network, 'PUT', `/members/${owner.user_id}`, { role: 'viewer' }),
        400,
        'invalid_request',
      );
      expectRefusal(
        await asOwner(network, 'PUT', `/members/${network.fixture.outsider.user_id}`, { role: 'viewer' }),
        404,
        'not_found',
      );
    },
  ],
  [
    '§2 members can remove themselves, not others; the owner cannot leave',
    async (network) => {
      const { fixture } = network;
      await network.join(fixture.member, 'member');
      await network.join(fixture.viewer, 'viewer');
      const remove = (by: User, whom: User) =>
        fixture.ask('DELETE', `/api/networks/${network.network_id}/members/${whom.user_id}`, { token: by.token });
      expectRefusal(await remove(fixture.member, fixture.viewer), 403, 'forbidden');
      expectRefusal(await remove(fixture.owner, fixture.owner), 400, 'invalid_request');
      expect((await remove(fixture.member, fixture.member)).status).toBe(200);
      expect((await remove(fixture.owner, fixture.viewer)).status).toBe(200);
    },
  ],
  [
    '§2 an invite defaults to role member, one use, seven days; its code is shown once',
    async (network) => {
      const { body } = await asOwner(network, 'POST', '/invite', {});
      expect(body).toMatchObject({ role: 'member', max_uses: 1 });
      const days = (Date.parse(`${textOf(body, 'expires_at').replace(' ', 'T')}Z`) - Date.now()) / 86_400_000;
      expect(Math.abs(days - 7)).toBeLessThan(0.01);
      const { body: listed } = await asOwner(network, 'GET', '/invites');
      expect(listed.invites).toMatchObject([{ invite_id: body.invite_id, uses: 0 }]);
      expect(JSON.stringify(listed)).not.toContain(textOf(body, 'invite_code'));
    },
  ],
  [
    '§2 invite_invalid: unknown or revoked code',
    async (network) => {
      expectRefusal(await join(network.fixture, network.fixture.member, 'inv_nonsense'), 400, 'invite_invalid');
      const invite = await newInvite(network);
      expect((await asOwner(network, 'DELETE', `/invites/${invite.invite_id}`)).status).toBe(200);
      expectRefusal(await join(network.fixture, network.fixture.member, invite.invite_code), 400, 'invite_invalid');
    },
  ],
  [
    '§2 invite_expired',
    async (network) => {
      const { invite_code } = await newInvite(network, { expires_in_days: 1e-9 });
      await expect
        .poll(async () => (await network.ask('POST', '/api/networks/preview', { body: { invite_code } })).body)
        .toMatchObject({ error: 'invite_expired' });
      expectRefusal(await join(network.fixture, network.fixture.member, invite_code), 400, 'invite_expired');
    },
  ],
  [
    '§2 invite_used_up',
    async (network) => {
      const { invite_code } = await newInvite(network);
      expect((await join(network.fixture, network.fixture.member, invite_code)).status).toBe(200);
      expectRefusal(await join(network.fixture, network.fixture.viewer, invite_code), 400, 'invite_used_up');
    },
  ],
  [
    '§2 already_member',
    async (network) => {
      const { invite_code } = await newInvite(network, { max_uses: 2 });
      await join(network.fixture, network.fixture.member, invite_code);
      expectRefusal(await join(network.fixture, network.fixture.member, invite_code), 400, 'already_member');
      expectRefusal(await join(network.fixture, network.fixture.owner, invite_code), 400, 'already_member');
    },
  ],
  [
    '§2 network_full',
    async (network) => {
      await asOwner(network, 'PUT', '', { max_members: 1 });
      expectRefusal(
        await join(network.fixture, network.fixture.member, (await newInvite(network)).invite_code),
        400,
        'network_full',
      );
    },
  ],
  [
    '§2 only the owner can create invites',
    async (network) => {
      await network.join(network.fixture.member, 'member');
      expectRefusal(
        await network.fixture.ask('POST', `/api/networks/${network.network_id}/invite`, {
          token: network.fixture.member.token,
          body: {},
        }),
        403,
        'forbidden',
      );
    },
  ],

  [
    '§8 without a trial, nothing expires',
    async (network) => {
      expect(await network.tool('send_task', { alias: 'bob', task: 'x' })).toMatchObject({ ok: true });
    },
  ],
  [
    '§8 after the trial, only send_task is rejected',
    async ({ fixture }) => {
      const network = await withShortTrial(fixture);
      let count = 0;
      const send = () => network.ask('POST', '/api/tasks', { body: { alias: 'bob', task: `task ${count++}` } });
      await expect.poll(async () => (await send()).status).toBe(403);
      expectRefusal(await send(), 403, 'license_expired');
      expect(await network.tool('send_message', { alias: 'bob', message: 'x' })).toMatchObject({ ok: true });
      expect(await network.report('bob')).toMatchObject({ ok: true });
    },
  ],
];

function asOwner(network: TestNetwork, method: string, rest: string, body?: object): Promise<Reply> {
  const { owner, ask } = network.fixture;
  return ask(method, `/api/networks/${network.network_id}${rest}`, {
    token: owner.token,
    ...(body !== undefined && { body }),
  });
}

async function newInvite(
  network: TestNetwork,
  request: object = {},
): Promise<{ invite_code: string; invite_id: string }> {
  const { body } = await asOwner(network, 'POST', '/invite', request);
  return { invite_code: textOf(body, 'invite_code'), invite_id: textOf(body, 'invite_id') };
}

function join({ ask }: Fixture, { token }: User, invite_code: string): Promise<Reply> {
  return ask('POST', '/api/networks/join', { token, body: { invite_code } });
}

function expectRefusal({ status, body }: { status: number; body: JsonObject }, expected: number, error: string): void {
  expect([status, body.error], JSON.stringify(body)).toEqual([expected, error]);
}
