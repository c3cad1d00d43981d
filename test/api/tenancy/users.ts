// The users of the matrix and their tokens: two networks, the admin's network, and every kind of rejected token.
import { newToken } from '../../../server/domain/accounts/token.ts';
import { DAY_MS } from '../../../server/domain/time/time.ts';
import { changePassword } from '../../../server/operations/accounts/change-password.ts';
import { login } from '../../../server/operations/accounts/login.ts';
import { register } from '../../../server/operations/accounts/register.ts';
import { createInvite } from '../../../server/operations/networks/create-invite.ts';
import { deleteNetwork } from '../../../server/operations/networks/delete-network.ts';
import { joinNetwork } from '../../../server/operations/networks/join-network.ts';
import { removeMember } from '../../../server/operations/networks/remove-member.ts';
import { type AnyOperation, perform } from '../../../server/operations/operation.ts';
import { createToken } from '../../../server/operations/tokens/create-token.ts';
import { identify } from '../../../server/operations/tokens/identify.ts';
import { revokeToken } from '../../../server/operations/tokens/revoke-token.ts';
import type { TestHub } from '../../support/test-hub.ts';
import type { Who } from './patterns.ts';

export const PASSWORD = 'correct horse';

export type User = { username: string; user_id: string; utok: string; ntok: string; network_id: string };

export type Users = {
  users: Record<
    'admin' | 'owner' | 'member' | 'viewer' | 'otherMember' | 'outsider' | 'foreignMember' | 'unrelated',
    User
  >;
  tokens: Record<Who, string | undefined>;
};

/** Sends requests with a token, as a client would. */
export async function ask<Result extends object>(
  hub: TestHub,
  token: string,
  operation: AnyOperation<Result>,
  input: object,
): Promise<Result> {
  const caller = await identify(hub, token, '127.0.0.1');
  if (caller === undefined) throw new Error(`${operation.name} was called with an invalid token`);
  return perform(operation, hub, caller, input);
}

type Canaries = Record<'home' | 'foreign' | 'admin' | 'member', string>;

/** Usernames contain the canary of their network. */
export async function createUsers(hub: TestHub, canaries: Canaries): Promise<Users> {
  const early = await createEarlyUsers(hub, canaries);
  hub.clock.advance(31 * DAY_MS); // a user token expires after 30 days without use
  const admin = await signInAgain(hub, early.admin);
  const owner = await signInAgain(hub, early.owner);
  const join = (username: string, role: string, inviter = owner) => signUpInto(hub, username, role, inviter);
  const outsider = await signUp(hub, `outsider_${canaries.foreign}`);
  const viewer = await join(`viewer_${canaries.home}`, 'viewer');
  await ask(hub, viewer.utok, deleteNetwork, { network_id: viewer.network_id });
  const users = {
    admin,
    owner,
    outsider,
    viewer,
    member: await join(`member_${canaries.home}`, 'member'),
    otherMember: await join(`other_${canaries.home}`, 'member'),
    foreignMember: await join(`second_${canaries.foreign}`, 'member', outsider),
    unrelated: await signUp(hub, 'unrelated'),
  };
  const { member } = users;
  return {
    users,
    tokens: {
      ...(await rejectedTokens(hub, owner, member)),
      'expired utok_': early.sleeper.utok,
      'expired ntok_': early.expired,
      'ntok_ in the query': member.ntok,
      'admin utok_': admin.utok,
      'owner utok_': owner.utok,
      'member utok_': member.utok,
      'viewer utok_': viewer.utok,
      'outsider utok_': outsider.utok,
      'owner ntok_': owner.ntok,
      'member ntok_': member.ntok,
      'viewer ntok_': viewer.ntok,
      'outsider ntok_': outsider.ntok,
      'admin ntok_': admin.ntok,
    },
  };
}

/** The earliest users: the first one is the admin, and one has been inactive since. */
async function createEarlyUsers(hub: TestHub, canaries: Canaries) {
  const admin = await signUp(hub, `admin_${canaries.admin}`);
  const owner = await signUp(hub, `owner_${canaries.home}`);
  const sleeper = await signUpInto(hub, `sleeper_${canaries.home}`, 'member', owner);
  const { token: expired } = await ask(hub, sleeper.utok, createToken, {
    name: 'for a day',
    network_id: owner.network_id,
    expires_in_days: 1,
  });
  return { admin, owner, sleeper, expired };
}

async function rejectedTokens(hub: TestHub, owner: User, member: User) {
  const removed = await signUpInto(hub, 'removed', 'member', owner);
  await ask(hub, owner.utok, removeMember, { network_id: owner.network_id, user_id: removed.user_id });
  const revoked = await ask(hub, member.utok, createToken, { name: 'to be revoked', network_id: owner.network_id });
  await ask(hub, member.utok, revokeToken, { token_id: revoked.token_id });
  const signedOut = await signInAgain(hub, member);
  await ask(hub, member.utok, changePassword, { old_password: PASSWORD, new_password: PASSWORD });
  return {
    'no token': undefined,
    'malformed token': `${member.ntok.slice(0, -1)}${member.ntok.endsWith('0') ? '1' : '0'}`,
    'unknown utok_': newToken('user', hub.ids),
    'unknown ntok_': newToken('network', hub.ids),
    'revoked utok_': signedOut.utok,
    'revoked ntok_': revoked.token,
    "removed member's ntok_": removed.ntok,
  };
}

/** A new user with their own network. */
export async function signUp(hub: TestHub, username: string): Promise<User> {
  const email = `${username}@example.org`;
  const made = await perform(
    register,
    hub,
    { ip: '127.0.0.1', bearer: hub.setup.token },
    { username, password: PASSWORD, display_name: `Dr. ${username}`, email },
  );
  return {
    username,
    user_id: made.user.user_id,
    utok: made.token,
    ntok: made.network_token,
    network_id: made.network_id,
  };
}

/** A new user who joins the host's network. Their network token belongs to that network. */
export async function signUpInto(hub: TestHub, username: string, role: string, inviter: User): Promise<User> {
  const user = await signUp(hub, username);
  const { invite_code } = await ask(hub, inviter.utok, createInvite, { network_id: inviter.network_id, role });
  const { network_token } = await ask(hub, user.utok, joinNetwork, { invite_code });
  return { ...user, ntok: network_token };
}

async function signInAgain(hub: TestHub, user: User): Promise<User> {
  const { token } = await perform(login, hub, { ip: '127.0.0.1' }, { username: user.username, password: PASSWORD });
  return { ...user, utok: token };
}
