// The account, network and token endpoints of the interface and of SPECIFICATION.md §2 and §7.
import * as v from 'valibot';
import { PASSWORD } from '../../../support/http/rest-client.ts';
import type { JsonObject } from '../../../support/json.ts';
import type { TestNetwork } from '../fixture.ts';
import { aboveZero, anyText, oneOf, required, text, whole } from '../members.ts';
import * as shapes from '../shapes.ts';
import { list, NETWORK, NETWORK_IN_FULL, NETWORK_TOKEN, ok, timestamp, USER, USER_TOKEN } from '../shapes.ts';
import { type Call, type EndpointRows, page } from './endpoint-row.ts';

const here = ({ network_id }: TestNetwork): Call => ({ path: { network_id } });
const asAdmin = ({ fixture }: TestNetwork): Call => ({ as: fixture.admin });

const JOINED = v.strictObject({
  network_id: shapes.text,
  network_name: shapes.text,
  role: v.picklist(['member', 'viewer']),
  network_token: NETWORK_TOKEN,
});

let names = 0;
const newName = (): string => `newcomer_${++names}`;

const QUEUE = v.strictObject({ waiting: v.number(), age_ms: v.number() });
const USED = { calls: v.number(), refused: v.number(), seconds: v.number() };

export const ACCOUNT_ENDPOINTS: EndpointRows = {
  'GET /health': {
    auth: 'none',
    responses: v.strictObject({
      status: shapes.text,
      version: shapes.text,
      uptime: shapes.whole,
      setup: v.picklist(['done', 'open', 'token']),
      public_url: v.optional(shapes.text),
      registration: v.optional(v.picklist(['invite', 'closed'])),
    }),
  },

  'GET /health/live': { auth: 'none', responses: v.strictObject({ status: v.literal('ok') }) },
  'GET /health/ready': { auth: 'none', responses: v.strictObject({ status: v.literal('ok') }) },

  'POST /api/auth/register': {
    auth: 'none',
    members: {
      username: required({
        ...text(50),
        least: 2,
        isPlain: true,
        takes: ['Ada_林9', '林黛玉'],
        refuses: ['a b', 'a-b', 'ä_', 'a😀', 'あい'],
      }),
      password: required({ ...text(256), least: 6, takes: ['林林林林林林'] }),
      email: anyText(254),
      display_name: anyText(100),
      invite_code: text(),
    },
    prepare: () => ({ given: { username: newName(), password: PASSWORD } }),
    responses: ok({
      user: USER,
      token: USER_TOKEN,
      network_token: NETWORK_TOKEN,
      network_id: shapes.text,
      joined: v.optional(JOINED),
    }),
  },
  'POST /api/auth/login': {
    auth: 'none',
    members: { username: required(text(50)), password: required(text(256)) },
    prepare: ({ fixture }) => ({ given: { username: fixture.outsider.username, password: PASSWORD } }),
    responses: ok({ user: USER, token: USER_TOKEN, token_id: shapes.text, network_id: shapes.text }),
  },
  'GET /api/auth/me': { auth: 'U', responses: ok({ user: USER }) },
  'PUT /api/auth/me': {
    auth: 'U',
    members: { display_name: required(text(100)) },
    prepare: () => ({ given: { display_name: '林' } }),
    responses: ok({ user: USER }),
  },
  'POST /api/auth/password': {
    auth: 'U',
    members: { old_password: required(text(256)), new_password: required({ ...text(256), least: 6 }) },
    prepare: async ({ fixture }) => ({
      as: await fixture.newUser(),
      given: { old_password: PASSWORD, new_password: 'another one' },
    }),
    responses: ok({}),
  },

  'GET /api/networks': { auth: 'U', members: page, responses: list('networks', NETWORK) },
  'POST /api/networks': {
    auth: 'U',
    members: { name: required(text(100)), description: anyText(1_000) },
    prepare: () => ({ given: { name: 'a new one', description: 'for all' } }),
    responses: ok({ network_id: shapes.text, network_name: v.literal('a new one') }),
  },
  'POST /api/networks/join': {
    auth: 'U',
    members: { invite_code: required(text()) },
    prepare: async (network) => ({
      as: network.fixture.member,
      given: { invite_code: (await invite(network)).invite_code },
    }),
    responses: ok(JOINED.entries),
  },
  'POST /api/networks/preview': {
    auth: 'none',
    members: { invite_code: required(text()) },
    prepare: async (network) => ({ given: { invite_code: (await invite(network)).invite_code } }),
    responses: ok({
      network_name: shapes.text,
      role: v.picklist(['member', 'viewer']),
      owner_name: shapes.text,
      expires_at: timestamp,
    }),
  },
  'GET /api/networks/:network_id': {
    auth: 'U',
    prepare: here,
    responses: ok({
      network: NETWORK_IN_FULL,
      stats: v.strictObject({ sessions: shapes.SESSION_COUNTS, tasks: shapes.TASK_COUNTS, nodes: shapes.whole }),
    }),
  },
  'PUT /api/networks/:network_id': {
    auth: 'U',
    members: { network_name: text(100), description: anyText(1_000), max_members: whole(1, 1_000) },
    prepare: (network) => ({ ...here(network), given: { network_name: 'renamed' } }),
    responses: ok({ network: NETWORK_IN_FULL }),
  },
  'DELETE /api/networks/:network_id': { auth: 'U', prepare: here, responses: ok({ network_id: shapes.text }) },
  'GET /api/networks/:network_id/members': {
    auth: 'U',
    members: page,
    prepare: here,
    responses: list('members', shapes.MEMBER),
  },
  'PUT /api/networks/:network_id/members/:user_id': {
    auth: 'U',
    members: { role: required(oneOf('member', 'viewer')) },
    prepare: async (network) => ({ ...(await aMember(network)), given: { role: 'viewer' } }),
    responses: ok({ user_id: shapes.text, role: v.literal('viewer') }),
  },
  'DELETE /api/networks/:network_id/members/:user_id': {
    auth: 'U',
    prepare: aMember,
    responses: ok({ user_id: shapes.text }),
  },
  'POST /api/networks/:network_id/invite': {
    auth: 'U',
    members: { role: oneOf('member', 'viewer'), max_uses: whole(1, 1_000), expires_in_days: aboveZero(365) },
    prepare: here,
    responses: ok({
      invite_code: v.pipe(shapes.text, v.regex(/^inv_[0-9A-Za-z]{24}$/)),
      invite_id: shapes.text,
      role: v.literal('member'),
      max_uses: v.literal(1),
      expires_at: timestamp,
    }),
  },
  'GET /api/networks/:network_id/invites': {
    auth: 'U',
    members: page,
    prepare: async (network) => {
      await invite(network);
      return here(network);
    },
    responses: list('invites', shapes.INVITE),
  },
  'DELETE /api/networks/:network_id/invites/:invite_id': {
    auth: 'U',
    prepare: async (network) => ({
      path: { network_id: network.network_id, invite_id: String((await invite(network)).invite_id) },
    }),
    responses: ok({ invite_id: shapes.text }),
  },

  'GET /api/diagnostics': {
    auth: 'U',
    prepare: asAdmin,
    responses: ok({
      version: shapes.text,
      uptime: v.number(),
      data: v.nullable(shapes.text),
      address: v.strictObject({
        local_url: v.nullable(shapes.text),
        public_url: v.nullable(shapes.text),
        host: v.nullable(shapes.text),
        client: shapes.text,
        is_forwarded: v.boolean(),
        trust_proxy: v.number(),
      }),
      streams: v.number(),
      findings: v.array(
        v.strictObject({
          check: shapes.text,
          level: v.picklist(['ok', 'warn', 'fail']),
          says: shapes.text,
          remedy: v.optional(shapes.text),
        }),
      ),
      troubles: v.array(
        v.strictObject({
          kind: shapes.text,
          since: timestamp,
          until: v.nullable(timestamp),
          facts: v.record(v.string(), v.number()),
        }),
      ),
      sizes: v.strictObject({
        database_bytes: v.nullable(v.number()),
        log_bytes: v.nullable(v.number()),
        disk_free_bytes: v.nullable(v.number()),
        disk_bytes: v.nullable(v.number()),
        growth_bytes: v.nullable(v.number()),
        growth_since: timestamp,
      }),
      descriptors: v.nullable(v.strictObject({ open: v.number(), max: v.number() })),
      max_connections: v.nullable(v.number()),
      memory_bytes: v.number(),
      event_loop: v.strictObject({ stalls: v.number(), stalled_seconds: v.number(), lag_ms: v.number() }),
      queues: v.strictObject({ writes: QUEUE, reads: QUEUE }),
      slowest: v.array(
        v.strictObject({
          at: timestamp,
          request_id: shapes.text,
          method: shapes.text,
          route: shapes.text,
          status: v.number(),
          ms: v.number(),
        }),
      ),
      retention: v.strictObject({
        keep_events_hours: v.number(),
        keep_messages_days: v.number(),
        keep_tasks_days: v.number(),
        keep_audit_days: v.number(),
        last_at: v.nullable(timestamp),
        removed: v.strictObject({
          events: v.number(),
          messages: v.number(),
          tasks: v.number(),
          completions: v.number(),
          nodes: v.number(),
          audit_entries: v.number(),
        }),
      }),
      backup: v.strictObject({
        schedule: shapes.text,
        last_at: v.nullable(timestamp),
        bytes: v.nullable(v.number()),
        failures: v.number(),
      }),
      networks: v.array(v.strictObject({ network_id: shapes.text, network_name: v.nullable(shapes.text), ...USED })),
      tokens: v.array(
        v.strictObject({
          token_id: shapes.text,
          name: v.nullable(shapes.text),
          username: v.nullable(shapes.text),
          ...USED,
        }),
      ),
    }),
  },
  'GET /api/audit-log': {
    auth: 'U',
    members: { action: text(), actor: text(), ...page },
    responses: list('entries', shapes.AUDIT_ENTRY),
  },
  'GET /api/users': {
    auth: 'U',
    members: page,
    prepare: asAdmin,
    responses: list(
      'users',
      v.strictObject({ ...USER.entries, email: v.nullable(shapes.text), created_at: timestamp }),
    ),
  },
  'POST /api/tokens': {
    auth: 'U',
    members: { name: required(text(100)), network_id: text(), expires_in_days: aboveZero(3_650) },
    prepare: ({ network_id }) => ({ given: { name: 'ci', network_id } }),
    responses: ok({
      token: NETWORK_TOKEN,
      token_id: shapes.text,
      name: v.literal('ci'),
      network_id: shapes.text,
      expires_at: v.nullable(timestamp),
    }),
  },
  'GET /api/tokens': { auth: 'U', members: page, responses: list('tokens', shapes.TOKEN) },
  'DELETE /api/tokens/:token_id': {
    auth: 'U',
    prepare: async ({ fixture, network_id }) => {
      const { body } = await fixture.ask('POST', '/api/tokens', {
        token: fixture.owner.token,
        body: { name: 'ci', network_id },
      });
      return { path: { token_id: String(body.token_id) } };
    },
    responses: ok({ token_id: shapes.text }),
  },
};

async function invite({ fixture, network_id }: TestNetwork): Promise<JsonObject> {
  return (await fixture.ask('POST', `/api/networks/${network_id}/invite`, { token: fixture.owner.token, body: {} }))
    .body;
}

/** Runs again, because an earlier call may have found one already. */
async function aMember(network: TestNetwork): Promise<Call> {
  const { fixture, network_id } = network;
  const { user_id } = fixture.member;
  await fixture.ask('DELETE', `/api/networks/${network_id}/members/${user_id}`, { token: fixture.owner.token });
  await network.join(fixture.member, 'member');
  return { path: { network_id, user_id } };
}
