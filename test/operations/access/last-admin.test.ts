// Any change that would leave a hub without an active admin is rejected and changes nothing.
import { describe, expect, test } from 'vitest';
import type { Hub } from '../../../server/hub.ts';
import { register } from '../../../server/operations/accounts/register.ts';
import { perform } from '../../../server/operations/operation.ts';
import { performAsOperator } from '../../../server/operations/operator/operator-operation.ts';
import { createToken } from '../../../server/operations/operator/tokens/create-token.ts';
import { createUser } from '../../../server/operations/operator/users/create-user.ts';
import { disableUser, enableUser } from '../../../server/operations/operator/users/set-disabled.ts';
import { setRole } from '../../../server/operations/operator/users/set-role.ts';
import { rowsOf } from '../../support/fixture.ts';
import { openTestHub } from '../../support/test-hub.ts';

type Act = (hub: Hub) => Promise<object>;

const signUp =
  (username: string): Act =>
  (hub) =>
    perform(register, hub, { ip: '127.0.0.1' }, { username, password: 'secret' });
const disable =
  (user: string): Act =>
  (hub) =>
    performAsOperator(disableUser, hub, { user });
const enable =
  (user: string): Act =>
  (hub) =>
    performAsOperator(enableUser, hub, { user });
const give =
  (user: string, role: string): Act =>
  (hub) =>
    performAsOperator(setRole, hub, { user, role });

const stateOf = (hub: Hub) => rowsOf({ hub }, 'SELECT username, role, disabled_at IS NOT NULL AS disabled FROM users');
const auditOf = (hub: Hub) => rowsOf({ hub }, 'SELECT action FROM audit_log');

describe('ann registered first, bob after her', () => {
  const CASES: readonly [what: string, before: Act[], act: Act, outcome: 'done' | 'refused'][] = [
    ['the only admin is not disabled', [], disable('ann'), 'refused'],
    ['the only admin keeps the role', [], give('ann', 'user'), 'refused'],
    ['a user is disabled', [], disable('bob'), 'done'],
    ['one of two admins is disabled', [give('bob', 'admin')], disable('ann'), 'done'],
    ['one of two admins loses the role', [give('bob', 'admin')], give('ann', 'user'), 'done'],
    [
      'a disabled admin does not count as another admin',
      [give('bob', 'admin'), disable('bob')],
      disable('ann'),
      'refused',
    ],
    ['nor for the role', [give('bob', 'admin'), disable('bob')], give('ann', 'user'), 'refused'],
    ['an enabled one does', [give('bob', 'admin'), disable('bob'), enable('bob')], disable('ann'), 'done'],
    ['a disabled admin can lose the role', [give('bob', 'admin'), disable('bob')], give('bob', 'user'), 'done'],
    ['the same role again', [], give('ann', 'admin'), 'done'],
  ];

  test.each(CASES)('%s', async (_what, before, act, outcome) => {
    const hub = await openTestHub();
    for (const step of [signUp('ann'), signUp('bob'), ...before]) await step(hub);
    const known = { users: await stateOf(hub), audited: await auditOf(hub) };
    const attempt = act(hub);
    if (outcome === 'done') return expect(attempt).resolves.toMatchObject({ ok: true });
    await expect(attempt).rejects.toMatchObject({
      code: 'last_admin',
      message: 'ann is the only admin of this hub; create another one first with `agenthub user set-role USER admin`',
    });
    expect({ users: await stateOf(hub), audited: await auditOf(hub) }).toEqual(known);
  });

  test('of two admins disabled concurrently, one stays', async () => {
    const hub = await openTestHub();
    for (const step of [signUp('ann'), signUp('bob'), give('bob', 'admin')]) await step(hub);
    const outcomes = await Promise.allSettled([disable('ann')(hub), give('bob', 'user')(hub)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });
});

test('the first account of a hub is always an admin', async () => {
  const hub = await openTestHub();
  const attempt = performAsOperator(createUser, hub, { username: 'ann', role: 'user' });
  await expect(attempt).rejects.toMatchObject({
    code: 'invalid_request',
    message: 'role must be admin: the first account of a hub is its admin',
  });
  expect(await stateOf(hub)).toEqual([]);
});

test.each([0, -1, 3_651])('a token that expires in %d days is rejected', async (expires_in_days) => {
  const hub = await openTestHub();
  await signUp('ann')(hub);
  const attempt = performAsOperator(createToken, hub, { name: 'ci', user: 'ann', expires_in_days });
  await expect(attempt).rejects.toMatchObject({
    code: 'invalid_request',
    message: 'expires_in_days must be a number above 0, at most 3650',
  });
});
