// Authentication, rule by rule, with the additions of SPECIFICATION.md §1.
import { expect } from 'vitest';
import { openEvents } from '../../support/http/event-reader.ts';
import { listOf, textOf } from '../../support/json.ts';
import { restless } from './hubs-beside.ts';
import type { Row } from './row-tests.ts';
import type { Place } from './stage.ts';
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
    async (place) => {
      for (const scheme of ['Bearer', 'bearer']) {
        const { status } = await place.stage.ask('GET', '/api/tasks', {
          headers: { Authorization: `${scheme} ${place.token}` },
        });
        expect(status).toBe(200);
      }
      expect(
        (await place.stage.ask('GET', '/api/tasks', { headers: { Authorization: `Basic ${place.token}` } })).status,
      ).toBe(401);
    },
  ],
  [
    '1. … or as the query parameter token, on the event stream',
    async (place) => {
      const response = await fetch(`${place.stage.hub.url}/events/bob?token=${place.token}`);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      await response.body?.cancel();
    },
  ],
  [
    '§1 ?token= is honoured on GET /events only',
    async (place) => {
      expect((await place.stage.ask('GET', `/api/tasks?token=${place.token}`)).status).toBe(401);
      expect(
        (
          await place.stage.ask('POST', `/mcp?token=${place.token}`, {
            body: { jsonrpc: '2.0', id: 1, method: 'ping' },
          })
        ).status,
      ).toBe(401);
    },
  ],
  [
    '2. GET /health needs no credential',
    async ({ stage }) => {
      expect((await stage.ask('GET', '/health')).status).toBe(200);
    },
  ],
  [
    '3. token kinds are told apart by prefix',
    async (place) => {
      expect(place.stage.owner.token).toMatch(/^utok_[0-9A-Za-z]{36}$/);
      expect(place.stage.owner.network_token).toMatch(/^ntok_[0-9A-Za-z]{36}$/);
      expect(place.token).toMatch(/^ntok_/);
    },
  ],
  [
    '3. API tokens are created with name and network_id, listed, and revoked',
    async (place) => {
      const { stage, network_id } = place;
      const as = { token: stage.owner.token };
      const { body: made } = await stage.ask('POST', '/api/tokens', { ...as, body: { name: 'ci', network_id } });
      const use = () => stage.ask('GET', '/api/tasks', { token: textOf(made, 'token') });
      expect((await use()).status).toBe(200);
      const { body: listed } = await stage.ask('GET', '/api/tokens?limit=500', as);
      expect(listOf(listed, 'tokens')).toContainEqual(
        expect.objectContaining({ token_id: made.token_id, name: 'ci', kind: 'network', network_id }),
      );
      expect(JSON.stringify(listed)).not.toContain(textOf(made, 'token'));
      expect((await stage.ask('DELETE', `/api/tokens/${made.token_id}`, as)).status).toBe(200);
      expect(await use()).toMatchObject({ status: 401, body: { error: 'unauthorized' } });
    },
  ],
  [
    '§1 POST /api/tokens without network_id means the first owned network',
    async ({ stage }) => {
      const { body } = await stage.ask('POST', '/api/tokens', { token: stage.outsider.token, body: { name: 'ci' } });
      expect(body).toMatchObject({ network_id: stage.outsider.network_id, expires_at: null });
    },
  ],
  [
    '§1 a token with expires_in_days ends then',
    async ({ stage }) => {
      const { body } = await stage.ask('POST', '/api/tokens', {
        token: stage.outsider.token,
        body: { name: 'brief', expires_in_days: 1e-6 },
      });
      const use = async (): Promise<number> =>
        (await stage.ask('GET', '/api/tasks', { token: textOf(body, 'token') })).status;
      await expect.poll(use).toBe(401);
    },
  ],
  [
    '§1 a mistyped token is refused',
    async (place) => {
      const last = place.token.at(-1) === 'x' ? 'y' : 'x';
      expect((await place.ask('GET', '/api/tasks', { token: place.token.slice(0, -1) + last })).status).toBe(401);
    },
  ],
  [
    '§1 a revoked token’s streams and waits end',
    async (place) => {
      const { stage, network_id } = place;
      const { body } = await stage.ask('POST', '/api/tokens', {
        token: stage.owner.token,
        body: { name: 'brief', network_id },
      });
      const token = textOf(body, 'token');
      const events = await openEvents(`${stage.hub.url}/events/bob`, token);
      const waiting = place.tool('get_inbox', { alias: 'bob', wait_seconds: 25 }, token);
      await events.next('heartbeat');
      const revokedAt = Date.now();
      await stage.ask('DELETE', `/api/tokens/${body.token_id}`, { token: stage.owner.token });
      await Promise.all([events.ended, waiting]);
      expect(Date.now() - revokedAt).toBeLessThan(1_000);
      expect((await stage.ask('GET', '/api/tasks', { token })).status).toBe(401);
    },
  ],
  [
    '§1 last_used_at is kept',
    async ({ stage }) => {
      const place = await restless(stage);
      await place.ask('GET', '/api/tasks');
      const { owner, ask } = place.stage;
      const used = async () =>
        listOf((await ask('GET', '/api/tokens', { token: owner.token })).body, 'tokens').find(
          ({ network_id }) => network_id === place.network_id,
        )?.last_used_at;
      await expect.poll(used, { timeout: 10_000 }).toEqual(expect.any(String));
    },
  ],
  [
    '§1 a query string is never logged',
    async ({ stage }) => {
      const { hub, newPlace } = await stage.beside(['--log-level', 'debug']);
      const place = await newPlace();
      await (await fetch(`${hub.url}/events/bob?token=${place.token}`)).body?.cancel();
      await place.ask('GET', '/api/tasks?from_name=needle');
      await expect.poll(hub.output).toContain('"route":"/api/tasks"');
      expect(hub.output()).not.toContain(place.token);
      expect(hub.output()).not.toContain('needle');
    },
  ],
  [
    '§1 a user token at a network endpoint spans the user’s networks, or the one named',
    async (place) => {
      const { stage, network_id } = place;
      const task_id = await place.task({ task: 'spanned' });
      const found = async (query: string) =>
        listOf((await stage.ask('GET', `/api/tasks${query}`, { token: stage.owner.token })).body, 'tasks').map(
          (task) => task.task_id,
        );
      expect(await found('')).toContain(task_id);
      expect(await found(`?network_id=${network_id}`)).toEqual([task_id]);
      expect(await found(`?network_id=${stage.owner.network_id}`)).not.toContain(task_id);
    },
  ],
  [
    '§1 a REST write by a user token needs network_id when there are several',
    async ({ stage }) => {
      const write = (token: string) =>
        stage.ask('POST', '/api/messages', { token, body: { alias: 'bob', message: 'x' } });
      const lonely = await stage.newUser();
      expect((await write(lonely.token)).status).toBe(200);
      await stage.ask('POST', '/api/networks', { token: lonely.token, body: { name: 'second' } });
      expect(await write(lonely.token)).toMatchObject({
        status: 400,
        body: { error: 'invalid_request', message: expect.stringContaining('network_id') },
      });
    },
  ],
  [
    '§1 a system admin may name any network, to read',
    async (place) => {
      const { stage, network_id } = place;
      const task_id = await place.task();
      const { body } = await stage.ask('GET', `/api/tasks?network_id=${network_id}`, { token: stage.admin.token });
      expect(listOf(body, 'tasks')).toMatchObject([{ task_id }]);
      expect(await stage.ask('GET', `/api/networks/${network_id}`, { token: stage.admin.token })).toMatchObject({
        status: 200,
        body: { network: { member_role: null } },
      });
      const write = { token: stage.admin.token, body: { alias: 'bob', message: 'x', network_id } };
      expect(await stage.ask('POST', '/api/messages', write)).toMatchObject({
        status: 403,
        body: { error: 'forbidden' },
      });
    },
  ],
  [
    '§1 a network_id that is not the token’s: permission_denied, never ignored',
    async (place) => {
      const { network_id } = place.stage.outsider;
      for (const id of [network_id, 'net_nowhere']) {
        expect(await place.ask('GET', `/api/tasks?network_id=${id}`)).toMatchObject({
          status: 403,
          body: { error: 'permission_denied' },
        });
        expect(await place.tool('list_tasks', { network_id: id })).toMatchObject({
          ok: false,
          error: 'permission_denied',
        });
      }
    },
  ],
  [
    '4. account, network, token, audit and user endpoints take user tokens alone',
    async (place) => {
      for (const path of ['/api/auth/me', '/api/networks', '/api/tokens', '/api/audit-log', '/api/users']) {
        expect(await place.ask('GET', path), path).toMatchObject({
          status: 403,
          body: { error: 'user_token_required' },
        });
      }
    },
  ],
  [
    '4. statistics take both',
    async (place) => {
      expect((await place.ask('GET', '/api/stats')).status).toBe(200);
      expect((await place.stage.ask('GET', '/api/stats', { token: place.stage.owner.token })).status).toBe(200);
    },
  ],
  ...Object.keys(TOOL_ROWS).map(
    (tool): Row => [
      `5. ${tool} with a user token: permission_denied`,
      async (place) => {
        expect(await place.tool(tool, await TOOL_ROWS[tool]?.prepare(place), place.stage.owner.token)).toMatchObject({
          ok: false,
          error: 'permission_denied',
        });
      },
    ],
  ),
  [
    '§1 with a user token, handshake and lists work',
    async (place) => {
      for (const method of ['initialize', 'ping', 'tools/list']) {
        const answer = await place.stage.ask('POST', '/mcp', {
          token: place.stage.owner.token,
          body: { jsonrpc: '2.0', id: 1, method, params: {} },
        });
        expect(answer, method).toMatchObject({ status: 200, body: { result: expect.any(Object) } });
      }
    },
  ],
  ...WRITING_TOOLS.map(
    (tool): Row => [
      `7. ${tool} by a viewer: permission_denied`,
      async (place) => {
        const viewer = await place.join(place.stage.viewer, 'viewer');
        expect(await place.tool(tool, await TOOL_ROWS[tool]?.prepare(place), viewer)).toMatchObject({
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
        async (place) => {
          const viewer = await place.join(place.stage.viewer, 'viewer');
          expect(await place.tool(tool, await TOOL_ROWS[tool]?.prepare(place), viewer)).toMatchObject({ ok: true });
        },
      ],
    ),
  [
    '9. updating a network is for its owner',
    async (place) => {
      await place.join(place.stage.member, 'member');
      const update = (token: string) =>
        place.stage.ask('PUT', `/api/networks/${place.network_id}`, { token, body: { network_name: 'renamed' } });
      expect(await update(place.stage.member.token)).toMatchObject({ status: 403, body: { error: 'forbidden' } });
      expect(await update(place.stage.owner.token)).toMatchObject({
        status: 200,
        body: { network: { network_name: 'renamed' } },
      });
    },
  ],
  [
    '9. the audit log is for admins and owners',
    async (place) => {
      const { stage, network_id } = place;
      const log = async (token: string) =>
        listOf((await stage.ask('GET', '/api/audit-log?limit=500', { token })).body, 'entries').map(
          (entry) => entry.network_id,
        );
      expect(await log(stage.admin.token)).toContain(network_id);
      expect(await log(stage.owner.token)).toContain(network_id);
      expect(await log(stage.outsider.token)).not.toContain(network_id);
      const landless = await stage.newUser();
      await stage.ask('DELETE', `/api/networks/${landless.network_id}`, { token: landless.token });
      expect(await stage.ask('GET', '/api/audit-log', { token: landless.token })).toMatchObject({
        status: 403,
        body: { error: 'forbidden' },
      });
    },
  ],
  [
    '9. the user list is for system admins',
    async ({ stage }) => {
      expect(await stage.ask('GET', '/api/users', { token: stage.owner.token })).toMatchObject({
        status: 403,
        body: { error: 'forbidden' },
      });
      expect((await stage.ask('GET', '/api/users', { token: stage.admin.token })).status).toBe(200);
    },
  ],
  [
    '10. an invite grants its role and is used up after max_uses; join consumes one',
    async (place) => {
      const { stage } = place;
      const { body } = await stage.ask('POST', `/api/networks/${place.network_id}/invite`, {
        token: stage.owner.token,
        body: { role: 'viewer', max_uses: 1 },
      });
      const join = (token: string) =>
        stage.ask('POST', '/api/networks/join', { token, body: { invite_code: body.invite_code } });
      expect(await join(stage.viewer.token)).toMatchObject({
        status: 200,
        body: { network_id: place.network_id, role: 'viewer' },
      });
      expect(await join(stage.member.token)).toMatchObject({ status: 400, body: { error: 'invite_used_up' } });
      expect(await uses(place)).toEqual([1]);
    },
  ],
  [
    '§1 a removed member’s token is refused at once, and his stream ends',
    async (place) => {
      const { stage, network_id } = place;
      const token = await place.join(stage.member, 'member');
      const events = await openEvents(`${stage.hub.url}/events/bob`, token);
      await stage.ask('DELETE', `/api/networks/${network_id}/members/${stage.member.user_id}`, {
        token: stage.owner.token,
      });
      await events.ended;
      expect((await stage.ask('GET', '/api/tasks', { token })).status).toBe(401);
    },
  ],
  [
    '§1 a changed role counts from the next request',
    async (place) => {
      const { stage, network_id } = place;
      const token = await place.join(stage.member, 'member');
      const send = async () => (await place.tool('send_message', { alias: 'bob', message: 'x' }, token)).error;
      expect(await send()).toBeUndefined();
      await stage.ask('PUT', `/api/networks/${network_id}/members/${stage.member.user_id}`, {
        token: stage.owner.token,
        body: { role: 'viewer' },
      });
      expect(await send()).toBe('permission_denied');
    },
  ],
];

async function uses({ stage, network_id }: Place): Promise<unknown[]> {
  const { body } = await stage.ask('GET', `/api/networks/${network_id}/invites`, { token: stage.owner.token });
  return listOf(body, 'invites').map((invite) => invite.uses);
}
