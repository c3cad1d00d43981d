// Registration, sign-in and authentication: who becomes admin, which names are valid, and what a token allows.
import { describe, expect, test } from 'vitest';
import { isWellFormedToken } from '../../../server/domain/accounts/token.ts';
import type { Hub } from '../../../server/hub.ts';
import { login } from '../../../server/operations/accounts/login.ts';
import { me } from '../../../server/operations/accounts/me.ts';
import { register } from '../../../server/operations/accounts/register.ts';
import { perform } from '../../../server/operations/operation.ts';
import { identify } from '../../../server/operations/tokens/identify.ts';
import { dump, outcomeOf, rowsOf } from '../../support/fixture.ts';
import { openTestHub } from '../../support/test-hub.ts';

const VISITOR = { ip: '127.0.0.1' };
const DAY_MS = 86_400_000;

const signUp = (hub: Hub, username: string, rest: object = {}, visitor: object = {}) =>
  perform(register, hub, { ...VISITOR, ...visitor }, { username, password: 'secret', ...rest });
const signIn = (hub: Hub, username: string, password = 'secret') =>
  perform(login, hub, VISITOR, { username, password });

async function callerOf(hub: Hub, token: string) {
  const caller = await identify(hub, token, VISITOR.ip);
  if (caller === undefined) throw new Error('the token is not known');
  return caller;
}

describe('registration', () => {
  test('returns the user, a token of each kind and a network they own', async () => {
    const hub = await openTestHub();
    const response = await signUp(hub, 'Ann', { display_name: 'Ann B.', email: 'ann@example.org' });
    expect(response).toEqual({
      ok: true,
      user: { user_id: expect.stringMatching(/^usr_/), username: 'Ann', display_name: 'Ann B.', role: 'admin' },
      token: expect.stringMatching(/^utok_.{36}$/),
      network_token: expect.stringMatching(/^ntok_.{36}$/),
      network_id: expect.stringMatching(/^net_/),
    });
    expect([response.token, response.network_token].map(isWellFormedToken)).toEqual([true, true]);
    expect(
      await rowsOf({ hub }, 'SELECT network_id, network_name, visibility, max_members, trial_ends_at FROM networks'),
    ).toEqual([
      {
        network_id: response.network_id,
        network_name: 'Ann',
        visibility: 'private',
        max_members: 50,
        trial_ends_at: null,
      },
    ]);
    expect(await rowsOf({ hub }, 'SELECT user_id, role FROM members')).toEqual([
      { user_id: response.user.user_id, role: 'owner' },
    ]);
  });

  test('uses the username when no display name is given', async () => {
    const hub = await openTestHub();
    expect((await signUp(hub, '张三')).user).toMatchObject({ username: '张三', display_name: '张三' });
  });

  test('stores neither tokens nor passwords in plain text', async () => {
    const hub = await openTestHub();
    const { token, network_token } = await signUp(hub, 'ann', { password: 'very secret words' });
    // The hash function of the tests keeps the password.
    const stored = JSON.stringify(await dump({ hub })).replaceAll('plain:very secret words', 'a hash');
    for (const secret of [token, network_token, token.slice(5), 'very secret words'])
      expect(stored).not.toContain(secret);
  });

  test('is audited', async () => {
    const hub = await openTestHub();
    const { user, network_id } = await signUp(hub, 'ann');
    expect(
      await rowsOf({ hub }, 'SELECT actor, action, target_type, target_id, ip, network_id FROM audit_log'),
    ).toEqual([
      {
        actor: 'ann',
        action: 'user.register',
        target_type: 'user',
        target_id: user.user_id,
        ip: '127.0.0.1',
        network_id,
      },
    ]);
  });

  test('sets the end of the trial on the network, if there is a trial', async () => {
    const hub = await openTestHub({ trial_days: 0.5 });
    await signUp(hub, 'ann');
    expect(await rowsOf({ hub }, 'SELECT trial_ends_at FROM networks')).toEqual([
      { trial_ends_at: hub.clock.now() + DAY_MS / 2 },
    ]);
  });
});

describe('only the first user is admin', () => {
  test('one after another', async () => {
    const hub = await openTestHub();
    expect([(await signUp(hub, 'ann')).user.role, (await signUp(hub, 'ben')).user.role]).toEqual(['admin', 'user']);
  });

  test('of fifty concurrent registrations, exactly one', async () => {
    const hub = await openTestHub();
    const users = await Promise.all(Array.from({ length: 50 }, (_, index) => signUp(hub, `user_${index}`)));
    expect(users.filter(({ user }) => user.role === 'admin')).toHaveLength(1);
    expect(await rowsOf({ hub }, "SELECT count(*) AS admins FROM users WHERE role = 'admin'")).toEqual([{ admins: 1 }]);
  });

  test('with a setup token required, the first user must present it and the next need not', async () => {
    const hub = await openTestHub({ host: '0.0.0.0' });
    expect(await outcomeOf(signUp(hub, 'eve'))).toBe('setup_token_required');
    expect(await outcomeOf(signUp(hub, 'eve', {}, { bearer: 'a guess' }))).toBe('setup_token_required');
    expect(await rowsOf({ hub }, 'SELECT count(*) AS users FROM users')).toEqual([{ users: 0 }]);
    expect((await signUp(hub, 'ann', {}, { bearer: hub.setup.token })).user.role).toBe('admin');
    expect((await signUp(hub, 'ben')).user.role).toBe('user');
  });

  test('of fifty concurrent registrations, only those with the setup token can be first', async () => {
    const hub = await openTestHub({ host: '0.0.0.0' });
    const attempts = Array.from({ length: 50 }, (_, index) =>
      signUp(hub, `user_${index}`, {}, index === 40 ? { bearer: hub.setup.token } : {}),
    );
    await Promise.allSettled(attempts);
    expect(await rowsOf({ hub }, "SELECT username FROM users WHERE role = 'admin'")).toEqual([{ username: 'user_40' }]);
  });
});

describe('a username', () => {
  test.each(['ab', 'a_', '42', '张三', '㐀㐁', 'Ann_42_张', 'x'.repeat(50), '字'.repeat(50)])(
    'can be %s',
    async (username) => {
      expect(await outcomeOf(signUp(await openTestHub(), username))).toBe('ok');
    },
  );

  test.each([
    'a',
    '字',
    '',
    'x'.repeat(51),
    '字'.repeat(51),
    'a b',
    ' ab',
    'ab ',
    'a-b',
    'a.b',
    'a@b',
    'héllo',
    'ひらがな',
    'ａｂ',
    '٤٢',
    '😀😀',
    'ab\n',
    'a/b',
    "a'b",
    'a\u0000b',
    'ß_ß',
  ])('cannot be %j', async (username) => {
    const hub = await openTestHub();
    expect(await outcomeOf(signUp(hub, username))).toBe('invalid_request');
    expect(await rowsOf({ hub }, 'SELECT 1 FROM users')).toEqual([]);
  });

  test.each([
    ['ann', 'ann'],
    ['ann', 'ANN'],
    ['Ann', 'aNN'],
    ['张三x', '张三X'],
  ])('%s also takes %s', async (first, second) => {
    const hub = await openTestHub();
    await signUp(hub, first);
    const before = await dump({ hub });
    expect(await outcomeOf(signUp(hub, second))).toBe('username_taken');
    expect(await dump({ hub })).toEqual(before);
  });

  test('requested by twenty concurrent registrations is given to one', async () => {
    const hub = await openTestHub();
    const words = await Promise.all(
      Array.from({ length: 20 }, (_, index) => outcomeOf(signUp(hub, index % 2 === 0 ? 'ann' : 'ANN'))),
    );
    expect(words.filter((word) => word === 'ok')).toHaveLength(1);
    expect(words.filter((word) => word === 'username_taken')).toHaveLength(19);
    expect(await rowsOf({ hub }, 'SELECT count(*) AS count FROM networks')).toEqual([{ count: 1 }]);
  });
});

describe('sign-in', () => {
  test('returns the user, a new token and the first network they own', async () => {
    const hub = await openTestHub();
    const registered = await signUp(hub, 'Ann');
    const response = await signIn(hub, 'ann');
    expect(response).toEqual({
      ok: true,
      user: registered.user,
      token_id: expect.stringMatching(/^tok_/),
      token: expect.stringMatching(/^utok_/),
      network_id: registered.network_id,
    });
    expect(response.token).not.toBe(registered.token);
    expect((await callerOf(hub, response.token)).user_id).toBe(registered.user.user_id);
  });

  test.each([
    ['ann', 'wrong!'],
    ['ann', 'Secret'],
    ['nobody', 'secret'],
    ["' OR 1=1 --", 'secret'],
  ])('as %s with %s fails with the same message', async (username, password) => {
    const hub = await openTestHub();
    await signUp(hub, 'ann');
    expect(await outcomeOf(signIn(hub, username, password))).toBe('invalid_credentials');
    expect(await rowsOf({ hub }, "SELECT actor, action FROM audit_log WHERE action LIKE 'user.login%'")).toEqual([
      { actor: username, action: 'user.login_failed' },
    ]);
  });
});

describe('a token', () => {
  test('of a user returns their profile, and one of a network does not', async () => {
    const hub = await openTestHub();
    const { token, network_token, user } = await signUp(hub, 'ann');
    expect(await perform(me, hub, await callerOf(hub, token), {})).toEqual({ ok: true, user });
    expect(await outcomeOf(perform(me, hub, await callerOf(hub, network_token), {}))).toBe('user_token_required');
    expect(await outcomeOf(perform(me, hub, VISITOR, {}))).toBe('unauthorized');
  });

  test.each<[string, (token: string) => string]>([
    ['is cut', (token) => token.slice(0, -1)],
    ['has one character changed', (token) => token.slice(0, -1) + (token.endsWith('x') ? 'y' : 'x')],
    ['has another prefix', (token) => `n${token.slice(1)}`],
    ['is in capitals', (token) => token.toUpperCase()],
    ['is empty', () => ''],
    ['has a space', (token) => `${token} `],
  ])('that %s is invalid', async (_, change) => {
    const hub = await openTestHub();
    const { token } = await signUp(hub, 'ann');
    expect(await identify(hub, change(token), VISITOR.ip)).toBeUndefined();
  });

  test('of a user lasts 30 days, one of a network until it is revoked', async () => {
    const hub = await openTestHub();
    const { token, network_token } = await signUp(hub, 'ann');
    hub.clock.advance(30 * DAY_MS - 1);
    expect(await identify(hub, token, VISITOR.ip)).toBeDefined();
    hub.clock.advance(1);
    expect(await identify(hub, token, VISITOR.ip)).toBeUndefined();
    hub.clock.advance(365 * DAY_MS);
    expect(await identify(hub, network_token, VISITOR.ip)).toMatchObject({ token_kind: 'network' });
  });

  test("of a network has its user's current role, and none once the user is removed", async () => {
    const hub = await openTestHub();
    const { network_token, network_id } = await signUp(hub, 'ann');
    const roleNow = async () => (await identify(hub, network_token, VISITOR.ip))?.memberships.map(({ role }) => role);
    expect(await roleNow()).toEqual(['owner']);
    await hub.store.write((tx) =>
      tx.run("UPDATE members SET role = 'viewer' WHERE network_id = ?", [network_id], 'rights'),
    );
    expect(await roleNow()).toEqual(['viewer']);
    await hub.store.write((tx) => tx.run('DELETE FROM members WHERE network_id = ?', [network_id], 'rights'));
    expect(await roleNow()).toBeUndefined();
  });
});
