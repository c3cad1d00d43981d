// Failed sign-ins are counted so that an attacker can block only unknown addresses, not a user at a known address and
// not a signed-in user who changes their password.
import { describe, expect, test } from 'vitest';
import { changePassword } from '../../../server/operations/accounts/change-password.ts';
import { login } from '../../../server/operations/accounts/login.ts';
import { register } from '../../../server/operations/accounts/register.ts';
import { perform } from '../../../server/operations/operation.ts';
import { identify } from '../../../server/operations/tokens/identify.ts';
import { outcomeOf, rowsOf } from '../../support/fixture.ts';
import { openTestHub, restartTestHub, type TestHub } from '../../support/test-hub.ts';

const HOME = '192.0.2.1';
const ELSEWHERE = '198.51.100.7';
const MINUTE_MS = 60_000;

const signIn = (hub: TestHub, ip: string, password = 'secret', username = 'ann') =>
  perform(login, hub, { ip }, { username, password });
const outcome = (hub: TestHub, ip: string, password?: string, username?: string) =>
  outcomeOf(signIn(hub, ip, password, username));

/** A hub on which ann has registered from home. */
async function hubOfAnn() {
  const hub = await openTestHub();
  const { token, user } = await perform(register, hub, { ip: HOME }, { username: 'ann', password: 'secret' });
  const ann = await identify(hub, token, HOME);
  if (ann === undefined) throw new Error('ann is not known');
  const change = (old_password: string, new_password = 'secret') =>
    perform(changePassword, hub, ann, { old_password, new_password });
  return { hub, userId: user.user_id, change };
}

/** Ten failures from different unknown addresses, and the rejection that follows. */
async function useUp(hub: TestHub, username?: string): Promise<void> {
  for (let count = 0; count < 10; count++)
    expect(await outcome(hub, `203.0.113.${count}`, 'wrong!', username)).toBe('invalid_credentials');
  expect(await outcome(hub, '203.0.113.99', 'wrong!', username)).toBe('rate_limited');
}

describe('ten failures from elsewhere', () => {
  test('block unknown addresses, but not the user at a known address', async () => {
    const { hub } = await hubOfAnn();
    await useUp(hub);
    expect([await outcome(hub, ELSEWHERE), await outcome(hub, HOME)]).toEqual(['rate_limited', 'ok']);
    hub.clock.advance(MINUTE_MS);
    expect(await outcome(hub, ELSEWHERE)).toBe('ok');
  });

  test('do not use up the attempts of the user at a known address, nor the reverse', async () => {
    const { hub } = await hubOfAnn();
    await useUp(hub);
    for (let count = 0; count < 10; count++) expect(await outcome(hub, HOME, 'wrong!')).toBe('invalid_credentials');
    expect(await outcome(hub, HOME)).toBe('rate_limited');
    hub.clock.advance(MINUTE_MS);
    for (let count = 0; count < 10; count++) await outcome(hub, HOME, 'wrong!');
    expect([await outcome(hub, HOME), await outcome(hub, ELSEWHERE)]).toEqual(['rate_limited', 'ok']);
  });

  test('are rejected with the same message whether or not the user exists', async () => {
    const { hub } = await hubOfAnn();
    await useUp(hub);
    await useUp(hub, 'nobody');
    const [known, unknown] = await Promise.allSettled([
      signIn(hub, ELSEWHERE),
      signIn(hub, ELSEWHERE, 'secret', 'nobody'),
    ]);
    expect(known).toEqual(unknown);
    expect(await outcome(hub, HOME, 'secret', 'nobody')).toBe('rate_limited'); // known for ann only
  });

  test('do not block a signed-in password change, which has a limit of ten itself', async () => {
    const { hub, change } = await hubOfAnn();
    await useUp(hub);
    expect(await outcomeOf(change('secret'))).toBe('ok');
    for (let count = 0; count < 10; count++) expect(await outcomeOf(change('wrong!'))).toBe('invalid_credentials');
    expect(await outcomeOf(change('secret'))).toBe('rate_limited');
    expect(await outcome(hub, HOME)).toBe('ok');
    hub.clock.advance(MINUTE_MS);
    expect(await outcomeOf(change('secret'))).toBe('ok');
  });
});

describe('a known address', () => {
  test('is one that registered the user or signed them in, and survives a restart', async () => {
    const { hub, userId } = await hubOfAnn();
    await outcome(hub, ELSEWHERE);
    await outcome(hub, '203.0.113.200', 'wrong!');
    const known = await rowsOf({ hub }, 'SELECT user_id, address FROM sign_ins ORDER BY address');
    expect(known).toEqual([HOME, ELSEWHERE].map((address) => ({ user_id: userId, address })));
    const again = await restartTestHub(hub);
    await useUp(again);
    expect([await outcome(again, HOME), await outcome(again, ELSEWHERE)]).toEqual(['ok', 'ok']);
  });

  test('is a /64 for IPv6, and the same in any notation for IPv4', async () => {
    const { hub } = await hubOfAnn();
    await outcome(hub, '2001:db8:1:2::1');
    await useUp(hub);
    const from = ['2001:db8:1:2:ffff::9', '2001:db8:1:3::1', `::ffff:${HOME}`];
    expect(await Promise.all(from.map((ip) => outcome(hub, ip)))).toEqual(['ok', 'rate_limited', 'ok']);
  });

  test('is forgotten after 20 other addresses', async () => {
    const { hub } = await hubOfAnn();
    for (let count = 1; count <= 20; count++) {
      hub.clock.advance(MINUTE_MS);
      await outcome(hub, `198.51.100.${count}`);
    }
    expect(await rowsOf({ hub }, 'SELECT count(*) AS known FROM sign_ins')).toEqual([{ known: 20 }]);
    await useUp(hub);
    expect([await outcome(hub, HOME), await outcome(hub, '198.51.100.1')]).toEqual(['rate_limited', 'ok']);
  });

  test('is never text that is not an address', async () => {
    const { hub } = await hubOfAnn();
    for (const ip of ['hub', 'unknown', 'x'.repeat(4_000)]) await outcome(hub, ip);
    expect(await rowsOf({ hub }, 'SELECT address FROM sign_ins')).toEqual([{ address: HOME }]);
  });

  test('is deleted with its user', async () => {
    const { hub, userId } = await hubOfAnn();
    await hub.store.write(async (tx) => {
      for (const table of ['members', 'tokens']) await tx.run(`DELETE FROM ${table}`, [], 'rights');
      await tx.run('DELETE FROM networks', [], 'rights', 'networks');
      await tx.run('DELETE FROM users WHERE user_id = ?', [userId], 'rights');
    });
    expect(await rowsOf({ hub }, 'SELECT 1 FROM sign_ins')).toEqual([]);
  });
});

describe('an attempt', () => {
  test('that was never checked does not count', async () => {
    const { hub } = await hubOfAnn();
    const busy = { ...hub, passwords: { ...hub.passwords, verify: () => Promise.reject(new Error('busy')) } };
    for (let count = 0; count < 20; count++) await expect(signIn(busy, ELSEWHERE)).rejects.toThrow('busy');
    expect(await outcome(hub, ELSEWHERE)).toBe('ok');
  });

  test('counts before it is checked: of twenty concurrent attempts ten are checked', async () => {
    const { hub } = await hubOfAnn();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) => outcome(hub, `203.0.113.${index}`, 'wrong!')),
    );
    expect(outcomes.filter((word) => word === 'invalid_credentials')).toHaveLength(10);
  });
});

describe('a correct password', () => {
  test('changes the password three times a minute, whatever failed before', async () => {
    const { hub, change } = await hubOfAnn();
    await outcomeOf(change('wrong!'));
    for (let count = 0; count < 3; count++) expect(await outcomeOf(change('secret'))).toBe('ok');
    await expect(change('secret')).rejects.toMatchObject({
      code: 'rate_limited',
      message: 'you may change your password 3 times per minute; wait, then try again',
      retryAfterSeconds: 60,
    });
    hub.clock.advance(MINUTE_MS);
    expect(await outcomeOf(change('secret'))).toBe('ok');
  });

  test('signs in twenty times a minute from any address, and other users as often', async () => {
    const { hub } = await hubOfAnn();
    await perform(register, hub, { ip: HOME }, { username: 'ben', password: 'secret' });
    for (let count = 0; count < 20; count++) expect(await outcome(hub, `203.0.113.${count}`)).toBe('ok');
    expect([await outcome(hub, HOME), await outcome(hub, HOME, 'secret', 'ben')]).toEqual(['rate_limited', 'ok']);
    hub.clock.advance(MINUTE_MS);
    expect(await outcome(hub, HOME)).toBe('ok');
  });

  test('is queued by sender: a user at a known address, then a password change, then an unknown address', async () => {
    const { hub, userId, change } = await hubOfAnn();
    const turns: unknown[] = [];
    const verify = hub.passwords.verify;
    hub.passwords.verify = (password, hash, turn) => {
      turns.push(turn);
      return verify(password, hash, turn);
    };
    await Promise.all([outcome(hub, HOME), outcome(hub, ELSEWHERE, 'wrong!'), change('secret')]);
    const gone = undefined;
    expect(turns).toHaveLength(3);
    expect(turns).toEqual(
      expect.arrayContaining([
        { rank: 'known', user: userId, client: HOME, gone },
        { rank: 'stranger', user: undefined, client: ELSEWHERE, gone },
        { rank: 'change', user: userId, client: HOME, gone },
      ]),
    );
  });
});

test("a user's password changes run one at a time, concurrently with those of others", async () => {
  const { hub, change } = await hubOfAnn();
  const { token } = await perform(register, hub, { ip: ELSEWHERE }, { username: 'ben', password: 'secret' });
  const ben = await identify(hub, token, ELSEWHERE);
  if (ben === undefined) throw new Error('ben is not known');
  const ofBen = perform(changePassword, hub, ben, { old_password: 'secret', new_password: 'better' });
  expect(
    (await Promise.all([outcomeOf(change('secret')), outcomeOf(change('secret')), outcomeOf(ofBen)])).sort(),
  ).toEqual(['ok', 'ok', 'rate_limited']);
  expect([await outcomeOf(change('wrong!')), await outcomeOf(change('secret'))]).toEqual(['invalid_credentials', 'ok']);
});
