// Who can register: everyone, holders of an invite, or no one. The first user, who sets up the hub, always can.
import { describe, expect, test } from 'vitest';
import type { Settings } from '../../../server/domain/settings.ts';
import { bootstrapAdmin } from '../../../server/operations/accounts/bootstrap-admin.ts';
import { register } from '../../../server/operations/accounts/register.ts';
import { createInvite } from '../../../server/operations/networks/create-invite.ts';
import { listMembers } from '../../../server/operations/networks/list-members.ts';
import { perform } from '../../../server/operations/operation.ts';
import { health } from '../../../server/operations/records/health.ts';
import { identify } from '../../../server/operations/tokens/identify.ts';
import { rowsOf } from '../../support/fixture.ts';
import { openTestHub, type TestHub } from '../../support/test-hub.ts';

const VISITOR = { ip: '127.0.0.1' };

const signUp = (hub: TestHub, username: string, more: object = {}, visitor: object = {}) =>
  perform(register, hub, { ...VISITOR, ...visitor }, { username, password: 'secret', ...more });

/** A hub with its first user, and a function that creates invites to their network. */
async function hubOfAda(registration: Settings['registration']) {
  const hub = await openTestHub({ registration });
  const { token, network_id } = await signUp(hub, 'ada');
  const ada = await identify(hub, token, VISITOR.ip);
  if (ada === undefined) throw new Error('ada is not known');
  const invite = async (more: object = {}) =>
    (await perform(createInvite, hub, ada, { network_id, ...more })).invite_code;
  const members = async () =>
    (await perform(listMembers, hub, ada, { network_id })).members.map(({ username, role }) => [username, role]);
  return { hub, network_id, invite, members };
}

describe('open', () => {
  test('accepts everyone, and adds a user with an invite code to its network at once', async () => {
    const { hub, network_id, invite, members } = await hubOfAda('open');
    expect(await signUp(hub, 'bob')).not.toHaveProperty('joined');
    const { joined } = await signUp(hub, 'cid', { invite_code: await invite({ role: 'viewer' }) });
    expect(joined).toEqual({
      network_id,
      network_name: 'ada',
      role: 'viewer',
      network_token: expect.stringMatching(/^ntok_/),
    });
    expect(await members()).toEqual([
      ['cid', 'viewer'],
      ['ada', 'owner'],
    ]);
    const caller = await identify(hub, joined?.network_token ?? '', VISITOR.ip);
    expect(caller?.memberships).toMatchObject([{ network_id, role: 'viewer' }]);
  });
});

describe('invite', () => {
  test('rejects a user without a code, and explains how to get one', async () => {
    const { hub } = await hubOfAda('invite');
    await expect(signUp(hub, 'bob')).rejects.toMatchObject({ code: 'invite_required' });
    expect(await rowsOf({ hub }, 'SELECT username FROM users')).toEqual([{ username: 'ada' }]);
  });

  test('a code admits as many users as it allows, into its network', async () => {
    const { hub, invite, members } = await hubOfAda('invite');
    const invite_code = await invite({ max_uses: 2 });
    const responses = await Promise.allSettled(
      ['bob', 'cid', 'dee', 'eve'].map((name) => signUp(hub, name, { invite_code })),
    );
    expect(responses.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(responses.flatMap((response) => (response.status === 'rejected' ? [response.reason.code] : []))).toEqual([
      'invite_used_up',
      'invite_used_up',
    ]);
    expect(await members()).toHaveLength(3);
    expect(await rowsOf({ hub }, 'SELECT count(*) AS count FROM users')).toEqual([{ count: 3 }]);
  });

  test.each([
    ['that does not exist', 'inv_000000000000000000000000', 'invite_invalid'],
    ['that has expired', { expires_in_days: 1e-6 }, 'invite_expired'],
  ])('a code %s admits no one', async (_, given, code) => {
    const { hub, invite } = await hubOfAda('invite');
    const invite_code = typeof given === 'string' ? given : await invite(given);
    hub.clock.advance(1_000);
    await expect(signUp(hub, 'bob', { invite_code })).rejects.toMatchObject({ code });
    expect(await rowsOf({ hub }, 'SELECT username FROM users')).toEqual([{ username: 'ada' }]);
  });
});

describe('closed', () => {
  test('rejects everyone, with or without a code', async () => {
    const { hub, invite } = await hubOfAda('closed');
    await expect(signUp(hub, 'bob')).rejects.toMatchObject({ code: 'registration_closed' });
    await expect(signUp(hub, 'bob', { invite_code: await invite() })).rejects.toMatchObject({
      code: 'registration_closed',
    });
  });

  test('of many concurrent first registrations, one is accepted', async () => {
    const hub = await openTestHub({ registration: 'closed' });
    const responses = await Promise.allSettled(['ada', 'bob', 'cid'].map((name) => signUp(hub, name)));
    expect(responses.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
  });
});

test('the health endpoint reports restricted registration, and the type of hub', async () => {
  const ask = async (settings: Partial<Settings>) => perform(health, await openTestHub(settings), VISITOR, {});
  expect(Object.keys(await ask({})).sort()).toEqual(['setup', 'status', 'uptime', 'version']);
  expect(await ask({ registration: 'invite', public_url: 'https://hub.example' })).toMatchObject({
    registration: 'invite',
    public_url: 'https://hub.example',
  });
});

describe('the configured first admin', () => {
  const ADMIN = { username: 'root', password: 'correct horse' };

  test('is created when there is no user, with or without a setup token, and audited', async () => {
    const hub = await openTestHub({ registration: 'closed', host: '0.0.0.0' });
    expect(await bootstrapAdmin(hub, ADMIN)).toBe(true);
    expect(await rowsOf({ hub }, 'SELECT username, role FROM users')).toEqual([{ username: 'root', role: 'admin' }]);
    expect(await rowsOf({ hub }, 'SELECT actor, action, detail, ip FROM audit_log')).toEqual([
      { actor: 'root', action: 'user.register', detail: 'role admin', ip: 'hub' },
    ]);
    await expect(signUp(hub, 'eve')).rejects.toMatchObject({ code: 'registration_closed' });
  });

  test('changes nothing once a user exists', async () => {
    const hub = await openTestHub();
    await signUp(hub, 'ada');
    expect(await bootstrapAdmin(hub, ADMIN)).toBe(false);
    expect(await rowsOf({ hub }, 'SELECT username FROM users')).toEqual([{ username: 'ada' }]);
  });
});
