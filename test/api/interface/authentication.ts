// Authentication, rule by rule, with the additions of SPECIFICATION.md §1.
import { expect } from 'vitest';
import { openEvents } from '../../support/http/event-reader.ts';
import { listOf, textOf } from '../../support/json.ts';
import type { TestNetwork } from './fixture.ts';
import type { Row } from './row-tests.ts';
import { withShortTimeouts } from './short-timeouts.ts';
import { TOOL_ROWS } from './tools.ts';

const WRITING_TOOLS = [
  'report_status',
  'report_completion',
  'ack_inbox',
  'send_task',
  'send_message',
  'send_reply',
  'send_ack',
  'retry_task',
  'cancel_task',
  'reassign_task',
  'broadcast',
];

export const AUTHENTICATION_ROWS: readonly Row[] = [
  [
    '1. a credential is sent as Authorization: Bearer',
    async (network) => {
      for (const scheme of ['Bearer', 'bearer']) {
        const { status } = await network.fixture.ask('GET', '/api/tasks', {
          headers: { Authorization: `${scheme} ${network.token}` },
        });
        expect(status).toBe(200);
      }
      expect(
        (await network.fixture.ask('GET', '/api/tasks', { headers: { Authorization: `Basic ${network.token}` } }))
          .status,
      ).toBe(401);
    },
  ],
  [
    '1. … or as the query parameter token, on the event stream',
    async (network) => {
      const response = await fetch(`${network.fixture.hub.url}/events/bob?token=${network.token}`);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      await response.body?.cancel();
    },
  ],
  [
    '§1 ?token= is accepted on GET /events only',
    async (network) => {
      expect((await network.fixture.ask('GET', `/api/tasks?token=${network.token}`)).status).toBe(401);
      expect(
        (
          await network.fixture.ask('POST', `/mcp?token=${network.token}`, {
            body: { jsonrpc: '2.0', id: 1, method: 'ping' },
          })
        ).status,
      ).toBe(401);
    },
  ],
  [
    '2. GET /health needs no credential',
    async ({ fixture }) => {
      expect((await fixture.ask('GET', '/health')).status).toBe(200);
    },
  ],
  [
    '3. the prefix of a token shows its kind',
    async (network) => {
      expect(network.fixture.owner.token).toMatch(/^utok_[0-9A-Za-z]{36}$/);
      expect(network.fixture.owner.network_token).toMatch(/^ntok_[0-9A-Za-z]{36}$/);
      expect(network.token).toMatch(/^ntok_/);
    },
  ],
  [
    '3. API tokens are created with name and network_id, listed, and revoked',
    async (network) => {
      const { fixture, network_id } = network;
      const as = { token: fixture.owner.token };
      const { body: made } = await fixture.ask('POST', '/api/tokens', { ...as, body: { name: 'ci', network_id } });
      const use = () => fixture.ask('GET', '/api/tasks', { token: textOf(made, 'token') });
      expect((await use()).status).toBe(200);
      const { body: listed } = await fixture.ask('GET', '/api/tokens?limit=500', as);
      expect(listOf(listed, 'tokens')).toContainEqual(
        expect.objectContaining({ token_id: made.token_id, name: 'ci', kind: 'network', network_id }),
      );
      expect(JSON.stringify(listed)).not.toContain(textOf(made, 'token'));
      expect((await fixture.ask('DELETE', `/api/tokens/${made.token_id}`, as)).status).toBe(200);
      expect(await use()).toMatchObject({ status: 401, body: { error: 'unauthorized' } });
    },
  ],
  [
    '§1 POST /api/tokens without network_id means the first owned network',
    async ({ fixture }) => {
      const { body } = await fixture.ask('POST', '/api/tokens', {
        token: fixture.outsider.token,
        body: { name: 'ci' },
      });
      expect(body).toMatchObject({ network_id: fixture.outsider.network_id, expires_at: null });
    },
  ],
  [
    '§1 a token with expires_in_days expires then',
    async ({ fixture }) => {
      const { body } = await fixture.ask('POST', '/api/tokens', {
        token: fixture.outsider.token,
        body: { name: 'brief', expires_in_days: 1e-6 },
      });
      const use = async (): Promise<number> =>
        (await fixture.ask('GET', '/api/tasks', { token: textOf(body, 'token') })).status;
      await expect.poll(use).toBe(401);
    },
  ],
  [
    '§1 a mistyped token is rejected',
    async (network) => {
      const last = network.token.at(-1) === 'x' ? 'y' : 'x';
      expect((await network.ask('GET', '/api/tasks', { token: network.token.slice(0, -1) + last })).status).toBe(401);
    },
  ],
  [
    '§1 a revoked token’s streams and waits end',
    async (network) => {
      const { fixture, network_id } = network;
      const { body } = await fixture.ask('POST', '/api/tokens', {
        token: fixture.owner.token,
        body: { name: 'brief', network_id },
      });
      const token = textOf(body, 'token');
      const events = await openEvents(`${fixture.hub.url}/events/bob`, token);
      const waiting = network.tool('get_inbox', { alias: 'bob', wait_seconds: 25 }, token);
      await events.next('heartbeat');
      const revokedAt = Date.now();
      await fixture.ask('DELETE', `/api/tokens/${body.token_id}`, { token: fixture.owner.token });
      await Promise.all([events.ended, waiting]);
      expect(Date.now() - revokedAt).toBeLessThan(1_000);
      expect((await fixture.ask('GET', '/api/tasks', { token })).status).toBe(401);
    },
  ],
  [
    '§1 last_used_at is stored',
    async ({ fixture }) => {
      const network = await withShortTimeouts(fixture);
      await network.ask('GET', '/api/tasks');
      const { owner, ask } = network.fixture;
      const used = async () =>
        listOf((await ask('GET', '/api/tokens', { token: owner.token })).body, 'tokens').find(
          ({ network_id }) => network_id === network.network_id,
        )?.last_used_at;
      await expect.poll(used).toEqual(expect.any(String));
    },
  ],
  [
    '§1 a query string is never logged',
    async ({ fixture }) => {
      const { hub, newNetwork } = await fixture.hubWith(['--log-level', 'debug']);
      const network = await newNetwork();
      await (await fetch(`${hub.url}/events/bob?token=${network.token}`)).body?.cancel();
      await network.ask('GET', '/api/tasks?from_name=needle');
      await expect.poll(hub.output).toContain('"route":"/api/tasks"');
      expect(hub.output()).not.toContain(network.token);
      expect(hub.output()).not.toContain('needle');
    },
  ],
  [
    '§1 a user token at a network endpoint spans the user’s networks, or the one named',
    async (network) => {
      const { fixture, network_id } = network;
      const task_id = await network.task({ task: 'spanned' });
      const found = async (query: string) =>
        listOf((await fixture.ask('GET', `/api/tasks${query}`, { token: fixture.owner.token })).body, 'tasks').map(
          (task) => task.task_id,
        );
      expect(await found('')).toContain(task_id);
      expect(await found(`?network_id=${network_id}`)).toEqual([task_id]);
      expect(await found(`?network_id=${fixture.owner.network_id}`)).not.toContain(task_id);
    },
  ],
  [
    '§1 a REST write by a user token needs network_id when there are several',
    async ({ fixture }) => {
      const write = (token: string) =>
        fixture.ask('POST', '/api/messages', { token, body: { alias: 'bob', message: 'x' } });
      const user = await fixture.newUser();
      expect((await write(user.token)).status).toBe(200);
      await fixture.ask('POST', '/api/networks', { token: user.token, body: { name: 'second' } });
      expect(await write(user.token)).toMatchObject({
        status: 400,
        body: { error: 'invalid_request', message: expect.stringContaining('network_id') },
      });
    },
  ],
  [
    '§1 a system admin can read any network',
    async (network) => {
      const { fixture, network_id } = network;
      const task_id = await network.task();
      const { body } = await fixture.ask('GET', `/api/tasks?network_id=${network_id}`, { token: fixture.admin.token });
      expect(listOf(body, 'tasks')).toMatchObject([{ task_id }]);
      expect(await fixture.ask('GET', `/api/networks/${network_id}`, { token: fixture.admin.token })).toMatchObject({
        status: 200,
        body: { network: { member_role: null } },
      });
      const write = { token: fixture.admin.token, body: { alias: 'bob', message: 'x', network_id } };
      expect(await fixture.ask('POST', '/api/messages', write)).toMatchObject({
        status: 403,
        body: { error: 'forbidden' },
      });
    },
  ],
  [
    '§1 a network_id that is not the token’s: permission_denied, never ignored',
    async (network) => {
      const { network_id } = network.fixture.outsider;
      for (const id of [network_id, 'net_nowhere']) {
        expect(await network.ask('GET', `/api/tasks?network_id=${id}`)).toMatchObject({
          status: 403,
          body: { error: 'permission_denied' },
        });
        expect(await network.tool('list_tasks', { network_id: id })).toMatchObject({
          ok: false,
          error: 'permission_denied',
        });
      }
    },
  ],
  [
    '4. account, network, token, audit and user endpoints accept user tokens only',
    async (network) => {
      for (const path of ['/api/auth/me', '/api/networks', '/api/tokens', '/api/audit-log', '/api/users']) {
        expect(await network.ask('GET', path), path).toMatchObject({
          status: 403,
          body: { error: 'user_token_required' },
        });
      }
    },
  ],
  [
    '4. statistics accept both',
    async (network) => {
      expect((await network.ask('GET', '/api/stats')).status).toBe(200);
      expect((await network.fixture.ask('GET', '/api/stats', { token: network.fixture.owner.token })).status).toBe(200);
    },
  ],
  ...Object.keys(TOOL_ROWS).map(
    (tool): Row => [
      `5. ${tool} with a user token: permission_denied`,
      async (network) => {
        expect(
          await network.tool(tool, await TOOL_ROWS[tool]?.prepare(network), network.fixture.owner.token),
        ).toMatchObject({
          ok: false,
          error: 'permission_denied',
        });
      },
    ],
  ),
  [
    '§1 with a user token, handshake and lists work',
    async (network) => {
      for (const method of ['initialize', 'ping', 'tools/list']) {
        const response = await network.fixture.ask('POST', '/mcp', {
          token: network.fixture.owner.token,
          body: { jsonrpc: '2.0', id: 1, method, params: {} },
        });
        expect(response, method).toMatchObject({ status: 200, body: { result: expect.any(Object) } });
      }
    },
  ],
  ...WRITING_TOOLS.map(
    (tool): Row => [
      `7. ${tool} by a viewer: permission_denied`,
      async (network) => {
        const viewer = await network.join(network.fixture.viewer, 'viewer');
        expect(await network.tool(tool, await TOOL_ROWS[tool]?.prepare(network), viewer)).toMatchObject({
          ok: false,
          error: 'permission_denied',
        });
      },
    ],
  ),
  ...Object.keys(TOOL_ROWS)
    .filter((tool) => !WRITING_TOOLS.includes(tool))
    .map(
      (tool): Row => [
        `7. ${tool} by a viewer works`,
        async (network) => {
          const viewer = await network.join(network.fixture.viewer, 'viewer');
          expect(await network.tool(tool, await TOOL_ROWS[tool]?.prepare(network), viewer)).toMatchObject({ ok: true });
        },
      ],
    ),
  [
    '9. only the owner can update a network',
    async (network) => {
      await network.join(network.fixture.member, 'member');
      const update = (token: string) =>
        network.fixture.ask('PUT', `/api/networks/${network.network_id}`, { token, body: { network_name: 'renamed' } });
      expect(await update(network.fixture.member.token)).toMatchObject({ status: 403, body: { error: 'forbidden' } });
      expect(await update(network.fixture.owner.token)).toMatchObject({
        status: 200,
        body: { network: { network_name: 'renamed' } },
      });
    },
  ],
  [
    '9. admins and owners can read the audit log',
    async (network) => {
      const { fixture, network_id } = network;
      const log = async (token: string) =>
        listOf((await fixture.ask('GET', '/api/audit-log?limit=500', { token })).body, 'entries').map(
          (entry) => entry.network_id,
        );
      expect(await log(fixture.admin.token)).toContain(network_id);
      expect(await log(fixture.owner.token)).toContain(network_id);
      expect(await log(fixture.outsider.token)).not.toContain(network_id);
      const withoutNetwork = await fixture.newUser();
      await fixture.ask('DELETE', `/api/networks/${withoutNetwork.network_id}`, { token: withoutNetwork.token });
      expect(await fixture.ask('GET', '/api/audit-log', { token: withoutNetwork.token })).toMatchObject({
        status: 403,
        body: { error: 'forbidden' },
      });
    },
  ],
  [
    '9. system admins can list users',
    async ({ fixture }) => {
      expect(await fixture.ask('GET', '/api/users', { token: fixture.owner.token })).toMatchObject({
        status: 403,
        body: { error: 'forbidden' },
      });
      expect((await fixture.ask('GET', '/api/users', { token: fixture.admin.token })).status).toBe(200);
    },
  ],
  [
    '10. an invite grants its role and is used up after max_uses; join consumes one',
    async (network) => {
      const { fixture } = network;
      const { body } = await fixture.ask('POST', `/api/networks/${network.network_id}/invite`, {
        token: fixture.owner.token,
        body: { role: 'viewer', max_uses: 1 },
      });
      const join = (token: string) =>
        fixture.ask('POST', '/api/networks/join', { token, body: { invite_code: body.invite_code } });
      expect(await join(fixture.viewer.token)).toMatchObject({
        status: 200,
        body: { network_id: network.network_id, role: 'viewer' },
      });
      expect(await join(fixture.member.token)).toMatchObject({ status: 400, body: { error: 'invite_used_up' } });
      expect(await uses(network)).toEqual([1]);
    },
  ],
  [
    '§1 a removed member’s token is rejected at once, and their stream ends',
    async (network) => {
      const { fixture, network_id } = network;
      const token = await network.join(fixture.member, 'member');
      const events = await openEvents(`${fixture.hub.url}/events/bob`, token);
      await fixture.ask('DELETE', `/api/networks/${network_id}/members/${fixture.member.user_id}`, {
        token: fixture.owner.token,
      });
      await events.ended;
      expect((await fixture.ask('GET', '/api/tasks', { token })).status).toBe(401);
    },
  ],
  [
    '§1 a changed role applies from the next request',
    async (network) => {
      const { fixture, network_id } = network;
      const token = await network.join(fixture.member, 'member');
      const send = async () => (await network.tool('send_message', { alias: 'bob', message: 'x' }, token)).error;
      expect(await send()).toBeUndefined();
      await fixture.ask('PUT', `/api/networks/${network_id}/members/${fixture.member.user_id}`, {
        token: fixture.owner.token,
        body: { role: 'viewer' },
      });
      expect(await send()).toBe('permission_denied');
    },
  ],
];

async function uses({ fixture, network_id }: TestNetwork): Promise<unknown[]> {
  const { body } = await fixture.ask('GET', `/api/networks/${network_id}/invites`, { token: fixture.owner.token });
  return listOf(body, 'invites').map((invite) => invite.uses);
}
